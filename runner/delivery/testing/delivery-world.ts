/**
 * An agent with its model, its gateway, and its restarts, around the state machine of the delivery. The next move is
 * chosen from outside; faults that the machine must never show are noted.
 */
import type { Message } from '#protocol/message.ts';
import { type DeliveryEvent, step } from '../delivery-machine.rules.ts';
import { deliveryStart, type Effect, type Note, openEntries } from '../delivery-state.rules.ts';
import { continueText } from '../message-block.rules.ts';
import type { Answer } from '../model-steps.rules.ts';
import { directMessage } from './direct-message.ts';

export const messageCount = 3;

const messages = Array.from({ length: messageCount }, (_, n) => directMessage(n));

const refusal = { cause: 'overloaded' as const };
const broken: Answer = { kind: 'broken', refusal };
const maxRestarts = 2;
const digest: Note = { text: 'You were started.', isContinuation: true };

interface Input {
  ids: readonly string[];
  note: Note | null;
}
type Outcome = Extract<DeliveryEvent, { kind: 'outcome' }>;
type Reply = Extract<DeliveryEvent, { kind: 'reply' }>;

export function createDeliveryWorld() {
  let machine = deliveryStart(true);
  const faults: string[] = [];
  const counts = { failed: 0, late: 0, restarts: 0, continued: 0 };
  const reported = new Set<string>();
  /** Carried by an exchange that the model began to answer. */
  const proven = new Set<string>();
  let sent = 0;

  // The agent, its model, and what they have said that has not been heard yet.
  let conversation = new Set<string>();
  let input: Input[] = [];
  let turn: { ids: string[]; began: number } | null = null;
  let isTaskOwed = false;
  let wasInterrupted = false;
  let notesSaid = 0;
  let outcomes: Outcome[] = [];
  let replies: Reply[] = [];

  // The requests of the machine.
  let bringing: Input | null = null;
  let isPaused = false;
  let isScheduled = false;
  let failures = 0;
  let isRefusing = false;
  /** The messages of the last turn, if it failed and nothing was brought since. */
  let failedOn: readonly string[] | null = null;
  /** That turn itself settled them. */
  let mustContinue = false;

  const fault = (text: string): void => void faults.push(text);

  function perform(effect: Effect): void {
    if (effect.kind === 'bring') {
      if (isScheduled) fault('something was brought before the attempt was due');
      if (bringing !== null) fault('two bundles were brought at once');
      if (mustContinue && notesSaid === 0 && !effect.note?.isContinuation)
        fault('a turn that failed after its messages were settled is not continued');
      bringing = effect;
    } else if (effect.kind === 'pause') isPaused = true;
    else if (effect.kind === 'schedule') {
      if (effect.failures <= failures) fault(`failure ${effect.failures} came after ${failures}`);
      failures = effect.failures;
      isScheduled = true;
    } else if (effect.kind === 'cancel') isScheduled = false;
    else if (effect.kind === 'refusal') isRefusing = effect.refusal !== null;
    else if (effect.kind === 'report' && effect.evidence === 'in_context') {
      if (!proven.has(effect.id)) fault('a message without proof was settled');
      if (reported.has(effect.id)) fault('a message was settled twice');
      reported.add(effect.id);
    }
  }

  function apply(event: DeliveryEvent): void {
    const { state, effects } = step(machine, event);
    machine = state;
    for (const effect of effects) perform(effect);
    // Only a completed turn, and the late proof that one was complete, make the next failure the first.
    if (machine.failures === 0 && failures > 0) [failures, notesSaid] = [0, 0];
  }

  const add = (message: Message | undefined): void => {
    if (message !== undefined) apply({ kind: 'added', message, cursor: message.id, wakes: true });
  };

  function ask(isAccepted: boolean): void {
    if (bringing === null) return;
    if (isAccepted) {
      input.push(bringing);
      [failedOn, mustContinue] = [null, false];
      if (bringing.note === digest || bringing.note?.text === continueText) notesSaid += 1;
      if (notesSaid > 1) fault('the agent was told twice to continue');
    }
    bringing = null;
    apply({ kind: isAccepted ? 'brought' : 'not brought' });
  }

  /** At the beginning of a turn, and before each request in it. */
  function takeInput(): void {
    if (turn === null) return;
    for (const { ids, note } of input) {
      for (const id of ids) conversation.add(id);
      turn.ids.push(...ids);
      if (note?.isContinuation) counts.continued += 1;
    }
    input = [];
    turn.began = machine.turn;
  }

  function beginTurn(): void {
    turn = { ids: [], began: machine.turn };
    isTaskOwed = true;
    takeInput();
  }

  function answer(kind: Answer): void {
    if (turn === null) return;
    const ids = [...conversation];
    if (kind.kind !== 'refused') for (const id of ids) proven.add(id);
    replies.push({ kind: 'reply', answer: kind, ids, turn: turn.began });
  }

  function endTurn(kind: Answer, result: Outcome['result']): void {
    answer(kind);
    outcomes.push({ kind: 'outcome', ids: turn?.ids ?? [], result });
    turn = null;
    wasInterrupted = result.kind === 'interrupted';
    if (result.kind === 'failed') counts.failed += 1;
    else isTaskOwed = false;
  }

  function hear(at: number): void {
    const [reply] = replies.splice(at, 1);
    if (reply === undefined) return;
    const isLate = reply.turn < machine.turn;
    apply(reply);
    if (!isLate) return;
    counts.late += 1;
    if (reply.answer.kind !== 'refused') look();
  }

  function look(): void {
    mustContinue ||= failedOn?.every((id) => reported.has(id)) ?? false;
  }

  function hearOutcome(): void {
    const outcome = outcomes.shift();
    if (outcome === undefined) return;
    const { kind } = outcome.result;
    if (kind === 'completed') notesSaid = 0;
    [failedOn, mustContinue] = [kind === 'failed' ? outcome.ids : null, false];
    look();
    apply(outcome);
  }

  function restart(isContinued: boolean): void {
    counts.restarts += 1;
    machine = deliveryStart(true);
    [bringing, isPaused, isScheduled, failures, isRefusing] = [null, false, false, 0, false];
    [input, turn, outcomes, replies, notesSaid] = [[], null, [], [], 0];
    [failedOn, mustContinue] = [null, false];
    if (!isContinued) conversation = new Set();
    // The broker delivers again what it has no receipt for.
    for (const message of messages.slice(0, sent)) if (!reported.has(message.id)) add(message);
    apply({ kind: 'noted', note: isTaskOwed ? digest : null });
    apply({ kind: 'ready', isReady: true });
  }

  const failed = { kind: 'failed' as const, refusal, data: {} };
  const endings: (() => void)[] = [
    () => endTurn({ kind: 'complete' }, { kind: 'completed' }),
    () => endTurn(broken, failed),
    () => endTurn({ kind: 'refused', refusal }, failed),
    () => endTurn({ kind: 'complete' }, failed),
    () => endTurn({ kind: 'partial' }, { kind: 'interrupted' }),
    // The agent tries again in the same turn, or goes on with the result of a tool.
    ...[broken, { kind: 'complete' as const }, { kind: 'partial' as const }].map((kind) => () => {
      answer(kind);
      takeInput();
    }),
  ];

  /** Returns the possible next moves without a fault, in the order in which a quiet world makes them. */
  function quietMoves(): (() => void)[] {
    return [
      ...(replies.length > 0 ? [() => hear(0)] : []),
      ...(outcomes.length > 0 ? [hearOutcome] : []),
      ...(bringing !== null ? [() => ask(true)] : []),
      ...(turn === null && input.length > 0 ? [beginTurn] : []),
      ...(turn !== null ? [endings[0] as () => void] : []),
      ...(isPaused ? [unpause] : []),
      ...(isScheduled ? [attempt] : []),
      ...(sent < messageCount ? [() => add(messages[sent++])] : []),
    ];
  }

  function unpause(): void {
    isPaused = false;
    apply({ kind: 'pause over' });
  }

  function attempt(): void {
    isScheduled = false;
    apply({ kind: 'attempt due' });
  }

  apply({ kind: 'ready', isReady: true });
  return {
    faults,
    counts,
    /** Everything that can happen next. */
    moves(): (() => void)[] {
      return [
        ...quietMoves(),
        ...(turn !== null ? endings : []),
        ...(bringing !== null ? [() => ask(false)] : []),
        ...replies.slice(1).map((_, n) => () => hear(n + 1)),
        ...(counts.restarts < maxRestarts ? [() => restart(true), () => restart(false)] : []),
      ];
    },
    settle(): void {
      for (let count = 0; count < 1000; count++) {
        const [next] = quietMoves();
        if (next === undefined) return;
        next();
      }
      fault('it never comes to rest');
    },
    summary: () => ({
      arrived: reported.size,
      isTaskOwed: isTaskOwed || openEntries(machine).length > 0,
      // A turn that a person interrupted shows nothing.
      isRefusing: isRefusing && !wasInterrupted,
      isAttemptDue: isScheduled,
    }),
  };
}
