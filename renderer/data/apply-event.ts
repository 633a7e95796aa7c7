/**
 * What a live event changes in the cache (specification/console.md#stack): one pure function from an event to
 * changes, so that every screen follows and tests can assert the outcome.
 */
import type { Attention } from '#protocol/attention.ts';
import { limits } from '#protocol/limits.ts';
import { isMentioned } from '#protocol/mentions.ts';
import type { Message } from '#protocol/message.ts';
import type { Presence, Roster } from '#protocol/presence.ts';
import type { Unread } from '#protocol/receipt.ts';
import { formatScope, parseScope, scopeOf } from '#protocol/scope.ts';
import type { ChangeFrame, ReceiptFrame, ReceiptsFrame } from '#protocol/stream.ts';
import { keys } from './keys.ts';
import { type ThreadPages, withMessage } from './thread-pages.ts';

export type Change =
  /** The lists of objectives are read again, at a bounded pace. */
  | { kind: 'objectives'; key: readonly unknown[] }
  /** `isOf` narrows the queries under the key. */
  | { kind: 'refetch'; key: readonly unknown[]; isOf?: (key: readonly unknown[]) => boolean }
  /**
   * Applied to the cached data of every query under the key. It is idempotent, because it is applied again to an answer that was in
   * flight.
   */
  | { kind: 'update'; key: readonly unknown[]; update: (held: never) => unknown };

const refetch = (key: readonly unknown[]): Change => ({ kind: 'refetch', key });
const update = <T>(key: readonly unknown[], change: (held: T) => T): Change => ({
  kind: 'update',
  key,
  update: change as (held: never) => unknown,
});

/**
 * Counts another member's message that the cached counts do not include yet. A stream delivers messages in
 * the order of their ids.
 */
export function withUnread(held: Unread, scope: string, message: Message, self: string): Unread {
  if (held.newestId !== null && message.id <= held.newestId) return held;
  const known = held.scopes.find((one) => one.scope === scope);
  const { count, mentions, lastReadId } = known ?? { count: 0, mentions: 0, lastReadId: null };
  const counted = {
    scope,
    count: count + 1,
    mentions: mentions + (isMentioned(self, message) ? 1 : 0),
    lastReadId,
  };
  return {
    ...held,
    newestId: message.id,
    scopes:
      known === undefined
        ? [...held.scopes, counted]
        : held.scopes.map((one) => (one === known ? counted : one)),
  };
}

/** Adds another member's message that is critical, or is to the reader. */
export function withAttention(held: Attention, scope: string, message: Message, self: string): Attention {
  const { id, ts, from, body, level } = message;
  const { critical, addressed, excerpt } = limits.attention;
  const unread = { id, ts, from, scope, excerpt: body.slice(0, excerpt) };
  const isNew = !held.critical.some((one) => one.id === id);
  const isAddressed = parseScope(scope)?.kind === 'direct' || isMentioned(self, message);
  const isNewest = !held.addressed.some((one) => one.scope === scope && one.id >= id);
  return {
    ...held,
    ...(level === 'critical' && isNew && { critical: [unread, ...held.critical].slice(0, critical) }),
    ...(isAddressed &&
      isNewest && {
        addressed: [unread, ...held.addressed.filter((one) => one.scope !== scope)].slice(0, addressed),
      }),
  };
}

const onObjective = (id: string): Change[] => [
  { kind: 'objectives', key: keys.objectives },
  refetch(keys.objective(id)),
];

function onMessage(message: Message, self: string): Change[] {
  const scope = scopeOf(message, self);
  const name = formatScope(scope);
  const changes: Change[] = [update<ThreadPages>(keys.thread(name), (held) => withMessage(held, message))];
  if (message.from !== self)
    changes.push(
      update<Unread>(keys.unread, (held) => withUnread(held, name, message, self)),
      update<Attention>(keys.attention, (held) => withAttention(held, name, message, self)),
    );
  if (scope.kind === 'objective' && message.data.event !== undefined)
    changes.push(...onObjective(scope.objectiveId));
  return changes;
}

/** Reading on one device of a member updates the member's other devices. */
function onReceipt({ messageId, member, state }: ReceiptFrame, self: string): Change[] {
  return [
    refetch(keys.receipts(messageId)),
    ...(member === self && state === 'read' ? [refetch(keys.unread), refetch(keys.attention)] : []),
  ];
}

function onPresence(presence: Presence): Change[] {
  return [
    update<Roster>(keys.roster, (held) => ({
      ...held,
      connected: held.connected.map((one) => (one.name === presence.name ? presence : one)),
    })),
  ];
}

function onChange({ resource, id }: ChangeFrame, self: string): Change[] {
  switch (resource) {
    case 'member':
      return [
        keys.members,
        keys.kinds,
        keys.roster,
        keys.briefing,
        keys.tokens(id),
        keys.devices,
        keys.sessions(id),
        keys.session,
        // Managers see private channels.
        ...(id === self ? [keys.channels, ['channel']] : []),
      ].map(refetch);
    case 'team':
      return [keys.team, keys.briefing].map(refetch);
    case 'channel':
      // A member who was added to the channel again has missed the messages in between.
      return [
        keys.channels,
        ['channel'],
        keys.unread,
        keys.thread(formatScope({ kind: 'channel', channelId: id })),
      ].map(refetch);
    case 'enrollment':
      return [keys.enrollments, keys.enrollmentHistory].map(refetch);
    case 'file':
      // The containing folder, the entry itself, and its contents.
      return [
        refetch(keys.files(id.slice(0, id.lastIndexOf('/')) || '/')),
        { kind: 'refetch', key: ['files'], isOf: (key) => `${String(key.at(-1))}/`.startsWith(`${id}/`) },
        ...[keys.sharedFiles, keys.fileGrants(id)].map(refetch),
      ];
    case 'objective':
      return [...onObjective(id), refetch(keys.thread(formatScope({ kind: 'objective', objectiveId: id })))];
    case 'held':
      return [refetch(keys.held)];
  }
}

/** Returns the changes for an event. `self` is the logged-in member. Unknown events change nothing. */
export function applyEvent(event: string, data: unknown, self: string): Change[] {
  switch (event) {
    case 'message':
      return onMessage(data as Message, self);
    case 'presence':
      return onPresence(data as Presence);
    case 'receipt':
      return onReceipt(data as ReceiptFrame, self);
    case 'receipts':
      return [refetch(keys.receipts((data as ReceiptsFrame).messageId))];
    case 'change':
      return onChange(data as ChangeFrame, self);
    // It is unknown which events were missed, so everything is fetched again.
    case 'reset':
      return [refetch([])];
    default:
      return [];
  }
}
