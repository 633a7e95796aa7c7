/**
 * The observations of an agent under test. Whether a message reached its model is decided where runs decide it
 * (runner/delivery/delivery-machine.rules.ts).
 */
import type { AgentEvents, AgentExit } from '../agents/agent.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { type DeliveryEvent, step } from '../delivery/delivery-machine.rules.ts';
import { deliveryStart } from '../delivery/delivery-state.rules.ts';
import { answerOf, outcomeOf } from '../delivery/model-events.rules.ts';
import { type Refusal, refusalOfWords } from '../delivery/model-refusal.rules.ts';
import type { TestMessage } from './test-message.ts';
import type { TimeLimit } from './time-limit.ts';
import type { Proof } from './way.rules.ts';

export interface Observer {
  readonly events: AgentEvents;
  readonly turn: number;
  readonly onReply: Delivery['onReply'];
  /** The model refuses now; null if it does not, as far as it was seen. */
  readonly refusal: Refusal | null;
  /** How many turns have begun. */
  readonly turns: number;
  /** No turn and no exchange is in progress. */
  readonly isIdle: boolean;
  readonly exit: AgentExit | null;
  /** The last lines of the agent's output. */
  readonly lastOutput: string;
  setFlight(count: number): void;
  setExit(how: AgentExit): void;
  /** From now on, an exchange that carries this message proves it. */
  expect(message: TestMessage): void;
  proofOf(messageId: string): Proof | null;
  /** Something else that a condition depends on has changed. */
  changed(): void;
  /** Resolves with true once the condition holds, or with false when the time is over. */
  until(condition: () => boolean): Promise<boolean>;
}

const linesKept = 3;
const maxOutputCharacters = 300;

/** `wakes`: whether the agent reports the outcome of its turns. */
export function createObserver({ wakes, limit }: { wakes: boolean; limit: TimeLimit }): Observer {
  let machine = deliveryStart(wakes);
  const proofs = new Map<string, Proof>();
  const waiting = new Set<() => void>();
  const lines: string[] = [];
  let refusal: Refusal | null = null;
  let exit: AgentExit | null = null;
  let isTurn = false;
  let turns = 0;
  let flight = 0;

  function changed(): void {
    for (const look of waiting) look();
  }
  limit.onOver(changed);

  /** Carries out only what the test is about: nothing is tried again, because one refusal is a result. */
  function apply(event: DeliveryEvent): void {
    const { state, effects } = step(machine, event);
    machine = state;
    for (const effect of effects) {
      if (effect.kind === 'report') proofs.set(effect.id, { at: performance.now(), turns });
      else if (effect.kind === 'refusal') refusal = effect.refusal;
    }
    changed();
  }

  return {
    get turn() {
      return machine.turn;
    },
    onReply(reply, carried, turn) {
      apply({ kind: 'reply', answer: answerOf(reply, Date.now()), ids: [...carried.ids], turn });
    },
    events: {
      // The agent's own statement about a message is not its model's answer.
      onEvidence: () => undefined,
      onTurn(isActive) {
        if (isActive && !isTurn) turns += 1;
        isTurn = isActive;
        changed();
      },
      onOutcome: (ids, failure) => apply(outcomeOf(ids, failure)),
      onSetback: (failure) => apply({ kind: 'setback', refusal: refusalOfWords(failure) }),
      onTranscript(line) {
        lines.push(line);
        if (lines.length > linesKept) lines.shift();
      },
    },
    get refusal() {
      return refusal;
    },
    get turns() {
      return turns;
    },
    get isIdle() {
      return !isTurn && flight === 0;
    },
    get exit() {
      return exit;
    },
    get lastOutput() {
      return lines.join(' / ').slice(0, maxOutputCharacters);
    },
    setFlight(count) {
      flight = count;
      changed();
    },
    setExit(how) {
      exit = how;
      changed();
    },
    expect({ id, message }) {
      apply({ kind: 'added', message, cursor: null, wakes: true });
      apply({ kind: 'claimed', ids: [id], older: 0 });
    },
    proofOf: (messageId) => proofs.get(messageId) ?? null,
    changed,
    async until(condition) {
      while (!condition()) {
        if (limit.isOver) return false;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
      return true;
    },
  };
}
