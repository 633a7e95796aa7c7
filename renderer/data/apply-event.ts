/**
 * Applies a live event to the cache (specification/console.md#stack): one pure function from an event to
 * changes, so that every screen follows and tests can assert the outcome.
 */
import type { InfiniteData } from '@tanstack/react-query';
import type { FsEntryList } from '#protocol/files.ts';
import type { Inbox } from '#protocol/inbox.ts';
import { isMentioned } from '#protocol/mentions.ts';
import type { Message } from '#protocol/message.ts';
import type { Presence, Roster } from '#protocol/presence.ts';
import { isInTrouble } from '#protocol/presence-state.ts';
import type { Unread } from '#protocol/receipt.ts';
import { formatScope, type Scope, scopeOf } from '#protocol/scope.ts';
import type { ChangeFrame, ReceiptFrame, ReceiptsFrame } from '#protocol/stream.ts';
import { keys } from './keys.ts';
import { type ThreadPages, withMessage } from './thread-pages.ts';

export type Change =
  /** The lists are read again, at a bounded pace. */
  | { kind: 'lists'; key: typeof keys.objectives | typeof keys.inbox }
  /** `isOf` narrows the queries under the key. `held`: the data of a query. */
  | { kind: 'refetch'; key: readonly unknown[]; isOf?: (key: readonly unknown[], held: unknown) => boolean }
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

/** The message needs the member (specification/attention.md#inbox). */
const isForInbox = (message: Message, scope: Scope, self: string): boolean =>
  scope.kind === 'direct' || message.level === 'critical' || isMentioned(self, message);

/** The members of a channel or a thread may read the files that are attached in it. */
const attached = [keys.fileEntries, keys.sharedFiles];

const inbox: Change = { kind: 'lists', key: keys.inbox };

const onObjective = (id: string): Change[] => [
  { kind: 'lists', key: keys.objectives },
  inbox,
  refetch(keys.objective(id)),
];

function onMessage(message: Message, self: string): Change[] {
  const scope = scopeOf(message, self);
  const name = formatScope(scope);
  const changes: Change[] = [update<ThreadPages>(keys.thread(name), (held) => withMessage(held, message))];
  if (message.from !== self) {
    changes.push(update<Unread>(keys.unread, (held) => withUnread(held, name, message, self)));
    if (isForInbox(message, scope, self)) changes.push(inbox);
  }
  if (scope.kind === 'objective' && message.data.event !== undefined)
    changes.push(...onObjective(scope.objectiveId));
  return changes;
}

/** Reading on one device of a member updates the member's other devices. */
function onReceipt({ messageId, member, state }: ReceiptFrame, self: string): Change[] {
  return [
    refetch(keys.receipts(messageId)),
    ...(member === self && state === 'read' ? [refetch(keys.unread), inbox] : []),
  ];
}

/** An agent in trouble is in the inbox, and leaves it at once when it can work again; one that may be stuck, when it rests. */
const onAgent = (presence: Presence): Change =>
  isInTrouble(presence)
    ? inbox
    : update<Inbox>(keys.inbox, (held) => ({
        items: held.items.filter(
          ({ kind, key, place }) =>
            kind !== 'agent' ||
            place.kind !== 'member' ||
            place.name !== presence.name ||
            (presence.busy && key.startsWith('stuck ')),
        ),
      }));

function onPresence(presence: Presence): Change[] {
  return [
    onAgent(presence),
    update<Roster>(keys.roster, (held) => ({
      ...held,
      connected: held.connected.map((one) => (one.name === presence.name ? presence : one)),
    })),
  ];
}

/** A file that is written into a new folder makes that folder an entry of the one above, and so on. */
function lacksFolderOf(path: string, folder: unknown, held: unknown): boolean {
  const way = folder === '/' ? '/' : `${String(folder)}/`;
  if (!path.startsWith(way)) return false;
  const [name] = path.slice(way.length).split('/');
  const { pages = [] } = (held ?? {}) as Partial<InfiniteData<FsEntryList>>;
  return !pages.some(({ entries }) => entries.some((entry) => entry.path === `${way}${name}`));
}

function onChange({ resource, id }: ChangeFrame): Change[] {
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
        ...attached,
      ]
        .map(refetch)
        .concat(inbox);
    case 'enrollment':
      return [keys.enrollments, keys.enrollmentHistory].map(refetch).concat(inbox);
    case 'file':
      // The containing folder, the entry itself, and its contents.
      return [
        refetch(keys.files(id.slice(0, id.lastIndexOf('/')) || '/')),
        { kind: 'refetch', key: ['files'], isOf: (key) => `${String(key.at(-1))}/`.startsWith(`${id}/`) },
        { kind: 'refetch', key: ['files'], isOf: ([, folder], held) => lacksFolderOf(id, folder, held) },
        ...[keys.sharedFiles, keys.fileGrants(id)].map(refetch),
      ];
    case 'objective':
      return [
        ...onObjective(id),
        ...[keys.thread(formatScope({ kind: 'objective', objectiveId: id })), ...attached].map(refetch),
      ];
    case 'held':
      return [refetch(keys.held), inbox];
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
      return onChange(data as ChangeFrame);
    // It is unknown which events were missed, so everything is fetched again.
    case 'reset':
      return [refetch([])];
    default:
      return [];
  }
}
