/**
 * What is observed of an agent under test. Whether a message reached its model is decided where runs decide it
 * (runner/delivery/model-watch.ts).
 */
import type { AgentEvents, AgentExit } from '../agents/agent.ts';
import type { Refusal } from '../delivery/model-refusal.rules.ts';
import { createModelWatch, type ModelWatch } from '../delivery/model-watch.ts';
import type { TimeLimit } from './time-limit.ts';
import type { Proof } from './way.rules.ts';

export interface Observer {
  readonly events: AgentEvents;
  readonly watch: ModelWatch;
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
  expect(messageId: string): void;
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
  const open = new Set<string>();
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

  const watch = createModelWatch({
    delivery: {
      onEvidence(ids) {
        for (const id of ids) if (open.delete(id)) proofs.set(id, { at: performance.now(), turns });
        changed();
      },
      isOpen: (id) => open.has(id),
      mayHaveReached: (id) => open.has(id),
      isProofAwaited: true,
      // Nothing is tried again: one refusal is a result.
      putBack: () => undefined,
      hold: () => undefined,
      tryOnce: () => undefined,
      release: () => undefined,
      headOf: () => null,
      carry: () => undefined,
    },
    wakes,
    onRefusal(next) {
      refusal = next;
      changed();
    },
    now: Date.now,
    random: Math.random,
    schedule: () => () => undefined,
    log: () => undefined,
  });

  return {
    watch,
    events: {
      // What the agent itself says about a message is not its model's answer.
      onEvidence: () => undefined,
      onTurn(isActive) {
        if (isActive && !isTurn) turns += 1;
        isTurn = isActive;
        changed();
      },
      onOutcome(ids, failure) {
        watch.onOutcome(ids, failure);
        changed();
      },
      onSetback: watch.onSetback,
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
    expect: (messageId) => void open.add(messageId),
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
