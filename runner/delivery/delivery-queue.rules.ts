/** Messages as they wait, leave, and arrive: the part of the delivery that keeps them in order. Pure. */
import type { Message } from '#protocol/message.ts';
import type { Evidence } from '#protocol/receipt.ts';
import { bundled, excess } from './bundle-size.rules.ts';
import { type Entry, hasWakingIn, isWaiting, messageEntry, positionEntry } from './delivery-entry.rules.ts';
import {
  andThen,
  type DeliveryState,
  type Effect,
  isOpen,
  type Note,
  openEntry,
  type Step,
  stay,
} from './delivery-state.rules.ts';
import { continueText, goOnText } from './message-block.rules.ts';

/** The most arrived messages that are remembered. */
const maxRemembered = 5000;

export const withEntries = (
  state: DeliveryState,
  ids: readonly string[],
  change: (entry: Entry) => Entry,
): DeliveryState => {
  const changed = new Set(ids);
  return {
    ...state,
    entries: state.entries.map((entry) =>
      entry.message !== null && changed.has(entry.id) ? change(entry) : entry,
    ),
  };
};

export const away = (entry: Entry): Entry =>
  entry.phase === 'waiting' ? { ...entry, phase: 'on its way' } : entry;
const back = (entry: Entry): Entry => (entry.phase === 'on its way' ? { ...entry, phase: 'waiting' } : entry);

/** `isLost`: they are not in the agent's conversation either. */
export const putBack = (state: DeliveryState, ids: readonly string[], isLost: boolean): DeliveryState =>
  withEntries(state, ids, (entry) => (isLost ? { ...back(entry), shown: 0 } : back(entry)));

/** The model has these. */
export function arrive(state: DeliveryState, ids: readonly string[]): Step {
  const open = ids.filter((id) => isOpen(state, id));
  const marked = withEntries(state, open, (entry) => ({ ...entry, phase: 'arrived' }));
  const left = marked.entries.findIndex(({ phase }) => phase !== 'arrived');
  const count = left < 0 ? marked.entries.length : left;
  const moved = marked.entries
    .slice(0, count)
    .flatMap(({ cursor, id }): Effect[] => (cursor === null ? [] : [{ kind: 'moved', cursor, id }]));
  const entries = marked.entries.slice(count);
  const arrived = open.length === 0 ? state.arrived : [...state.arrived, ...open].slice(-maxRemembered);
  return stay({ ...marked, entries, arrived }, ...moved);
}

export function evidence(state: DeliveryState, ids: readonly string[], kind: Evidence): Step {
  // A message that the process accepted is lost with the process, so it counts as arrived only when the
  // model has it. Until then, the stream delivers it again at the next start. A message without a position
  // in the stream keeps waiting at the broker.
  const isKept = kind === 'accepted' && state.isProofAwaited;
  const told = isKept ? ids.filter((id) => (openEntry(state, id)?.cursor ?? null) !== null) : ids;
  const reports = told.map((id): Effect => ({ kind: 'report', id, evidence: kind }));
  const shown = state.brings ? state : withEntries(state, ids, shownOnce);
  const step = stay(shown, { kind: 'log', event: 'evidence', data: { ids, evidence: kind } }, ...reports);
  return isKept ? step : andThen(step, (next) => arrive(next, ids));
}

const shownOnce = (entry: Entry): Entry => ({ ...entry, shown: entry.shown + 1 });

export function pass(state: DeliveryState, id: string, cursor: string): Step {
  return arrive({ ...state, entries: [...state.entries, positionEntry(id, cursor)] }, []);
}

function leaveOldest(state: DeliveryState): Step {
  const waiting = state.entries.filter(isWaiting);
  const ids = excess(waiting).map(({ id }) => id);
  const first = waiting[ids.length];
  if (ids.length === 0 || first === undefined) return stay(state);
  const event = 'too many messages are waiting; the oldest are only counted';
  const counted = stay(
    { ...state, older: state.older + ids.length },
    { kind: 'log', event, data: { ids } },
    { kind: 'counted', before: first.id },
  );
  return andThen(counted, (next) => arrive(next, ids));
}

/** An agent that never reports which messages its model received must not fill the memory. */
function leaveUnreported(state: DeliveryState): Step {
  if (state.entries.length <= maxRemembered) return stay(state);
  const first = state.entries.find(({ phase }) => phase === 'on its way');
  return arrive(state, first === undefined ? [] : [first.id]);
}

export function add(state: DeliveryState, message: Message, cursor: string | null, wakes: boolean): Step {
  // An arrived one has left, or is about to: its position in the stream still counts.
  if (state.arrived.includes(message.id))
    return cursor === null ? stay(state) : pass(state, message.id, cursor);
  if (isOpen(state, message.id))
    return stay(withEntries(state, [message.id], (entry) => ({ ...entry, cursor: entry.cursor ?? cursor })));
  const added = { ...state, entries: [...state.entries, messageEntry(message, cursor, wakes)] };
  return andThen(leaveOldest(added), leaveUnreported);
}

/** An agent that fetches messages itself makes the attempt that is due. */
export const claim = (state: DeliveryState, ids: readonly string[], older: number): DeliveryState => ({
  ...withEntries(state, ids, away),
  older: state.older - older,
  gate: state.gate === 'one' ? 'closed' : state.gate,
});

export function brought(state: DeliveryState): DeliveryState {
  const { bringing } = state;
  if (bringing === null) return state;
  const { ids, note, older, owed } = bringing;
  return {
    ...withEntries(state, ids, shownOnce),
    bringing: null,
    older: state.older - older,
    note: state.note === note ? null : state.note,
    owed: state.owed === owed ? null : state.owed,
    isToldToContinue: state.isToldToContinue || note?.isContinuation === true,
  };
}

export function notBrought(state: DeliveryState): Step {
  const { bringing } = state;
  if (bringing === null) return stay(state);
  const isStillDue = bringing.isAttempt && state.gate === 'closed' && !state.isAttemptDue;
  return stay(
    {
      ...putBack(state, bringing.ids, false),
      bringing: null,
      isPaused: true,
      gate: isStillDue ? 'one' : state.gate,
    },
    { kind: 'pause' },
  );
}

export function setReady(state: DeliveryState, isReady: boolean): DeliveryState {
  const ids = isReady ? [] : state.entries.map(({ id }) => id);
  return { ...putBack(state, ids, false), isReady };
}

/** A turn that failed is continued. The agent's conversation has the note already if it was asked before. */
function noteFor({ note, owed, isToldToContinue }: DeliveryState, isAlone: boolean): Note | null {
  if (note !== null || owed === null) return note;
  if (owed.isContinuation && !isToldToContinue) return { text: continueText, isContinuation: true };
  return isAlone ? { text: isToldToContinue ? goOnText : continueText, isContinuation: true } : null;
}

/** Brings what waits, if the agent can take it now. */
export function bringNext(state: DeliveryState): Step {
  const { brings, bringing, isPaused, isReady, gate, older } = state;
  if (!brings || bringing !== null || isPaused || !isReady || gate === 'closed') return stay(state);
  const ids = bundled(state.entries.filter(isWaiting)).map(({ id }) => id);
  const note = noteFor(state, ids.length === 0);
  if (!hasWakingIn(state.entries) && note === null && state.owed === null) return stay(state);
  const isAttempt = gate === 'one';
  const next: DeliveryState = {
    ...withEntries(state, ids, away),
    bringing: { ids, note, older, isAttempt, owed: state.owed },
    gate: isAttempt ? 'closed' : gate,
  };
  return stay(next, { kind: 'bring', ids, note, older });
}
