/**
 * The position of each message on its way to the model, and how the model's turns went: the state of the machine in
 * `delivery-machine.rules.ts`, what it has done, and questions about its state. Pure.
 */
import type { Evidence } from '#protocol/receipt.ts';
import type { Entry, MessageEntry } from './delivery-entry.rules.ts';
import type { Refusal } from './model-refusal.rules.ts';

/** Text that a bundle begins with, and that is brought by itself if nothing waits. */
export interface Note {
  text: string;
  /** It asks the agent to continue the turn that was cut off. */
  isContinuation: boolean;
}

/** A turn that must follow one that failed. */
export interface OwedTurn {
  /** The model had begun to answer in the one that failed, or had nothing new to answer. */
  isContinuation: boolean;
}

/** A bundle that the agent's process has not accepted yet. */
export interface Bringing {
  ids: readonly string[];
  note: Note | null;
  /** How many older messages it mentions. */
  older: number;
  isAttempt: boolean;
  owed: OwedTurn | null;
}

export interface DeliveryState {
  /** Whether the runner brings messages to the agent, whose turns then end with an outcome; otherwise it fetches them. */
  readonly brings: boolean;
  /** In the order of arrival; those that have arrived leave from the front, which the cursor follows. */
  readonly entries: readonly Entry[];
  /** The ids of the newest messages that arrived at the model, to recognize a repeat. */
  readonly arrived: readonly string[];
  /** How many older messages wait at the broker that are not handed over. */
  readonly older: number;
  readonly isReady: boolean;
  readonly bringing: Bringing | null;
  /** The agent did not accept a bundle, which is brought again after a moment. */
  readonly isPaused: boolean;
  /** `one`: the next bundle is an attempt, and what follows depends on its outcome. */
  readonly gate: 'open' | 'one' | 'closed';
  readonly note: Note | null;
  /** More than that the agent's process accepted a message will be proven, so that does not settle it. */
  readonly isProofAwaited: boolean;

  /** The gateway sees this agent's model, so only an exchange settles a message. */
  readonly seesModel: boolean;
  /** How many turns have ended. */
  readonly turn: number;
  /** The model began an answer in the present turn. */
  readonly hasAnswered: boolean;
  /** Messages that results of tools carried and no exchange has proven yet. */
  readonly carried: readonly string[];
  /** Refused exchanges in a row. */
  readonly setbacks: number;
  /** The latest refusal of the present turn. */
  readonly latest: Refusal | null;
  /** Everybody sees that the model refuses. */
  readonly isRefusing: boolean;
  /** Answers of the present turn that broke off. */
  readonly broken: number;
  /** Turns in a row that were not completed; the first counts as often as answers in it broke off. */
  readonly failures: number;
  /** Turns in a row that the agent calls complete although no exchange carried what it was given. */
  readonly unprovenTurns: number;
  /** The messages that no exchange had carried when the agent called its last turn complete. */
  readonly unproven: readonly string[];
  /** The next attempt is due after a while. */
  readonly isAttemptDue: boolean;
  readonly owed: OwedTurn | null;
  /** The agent was asked to continue, and has completed no turn since. */
  readonly isToldToContinue: boolean;
}

export const deliveryStart = (brings: boolean): DeliveryState => ({
  brings,
  entries: [],
  arrived: [],
  older: 0,
  isReady: false,
  bringing: null,
  isPaused: false,
  gate: 'open',
  note: null,
  isProofAwaited: brings,
  seesModel: false,
  turn: 0,
  hasAnswered: false,
  carried: [],
  setbacks: 0,
  latest: null,
  isRefusing: false,
  broken: 0,
  failures: 0,
  unprovenTurns: 0,
  unproven: [],
  isAttemptDue: false,
  owed: null,
  isToldToContinue: false,
});

/** The message with this id, unless it is unknown or has arrived. */
export const openEntry = ({ entries }: DeliveryState, messageId: string): MessageEntry | undefined =>
  entries.find(
    (entry): entry is MessageEntry =>
      entry.message !== null && entry.id === messageId && entry.phase !== 'arrived',
  );

export const isOpen = (state: DeliveryState, messageId: string): boolean =>
  openEntry(state, messageId) !== undefined;

export const openEntries = ({ entries }: DeliveryState): MessageEntry[] =>
  entries.filter((entry): entry is MessageEntry => entry.message !== null && entry.phase !== 'arrived');

export type Effect =
  | { kind: 'bring'; ids: readonly string[]; note: Note | null; older: number }
  /** Calls for `pause over` after a moment. */
  | { kind: 'pause' }
  | { kind: 'report'; id: string; evidence: Evidence }
  /** Everything up to this position of the stream has arrived. */
  | { kind: 'moved'; cursor: string; id: string }
  /** Messages before this one are only counted, also at later starts. */
  | { kind: 'counted'; before: string }
  /** Calls for `attempt due` after the delay for so many failures, instead of an earlier call. */
  | { kind: 'schedule'; failures: number; until: number | undefined; ids: readonly string[] }
  | { kind: 'cancel' }
  /** The model refuses, again or for the first time; null: it works. */
  | { kind: 'refusal'; refusal: Refusal | null }
  | { kind: 'log'; event: string; data: object };

export interface Step {
  state: DeliveryState;
  effects: readonly Effect[];
}

export const stay = (state: DeliveryState, ...effects: Effect[]): Step => ({ state, effects });

/** The step, and then another one from the state that it leads to. */
export function andThen({ state, effects }: Step, next: (state: DeliveryState) => Step): Step {
  const then = next(state);
  return { state: then.state, effects: [...effects, ...then.effects] };
}
