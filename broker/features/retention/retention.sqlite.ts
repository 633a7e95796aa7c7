/** Removing what is old from the main store, in units of a few milliseconds (specification/retention.md#runs). */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import { foldedName } from '#protocol/folded-name.ts';
import { limits } from '#protocol/limits.ts';
import { parseScope } from '#protocol/scope.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { messageRemoval, type RemovableMessage } from './message-removal.sqlite.ts';
import { type Removal, removalRows, summed } from './removals.sqlite.ts';
import type { AuditBounds } from './retention.rules.ts';

/** The run and the rule by which a unit removes, and what it must keep. */
export interface RemovalOrder {
  run: string;
  rule: string;
  /** Names of members. */
  held: readonly string[];
  /** How many entries it looks at. */
  limit: number;
}

/** `floor`: the newest position from which a message was removed. */
export interface MessageStep {
  removed: number;
  floor: number;
  /** The last position that was looked at; null if nothing is left to look at. */
  next: number | null;
}

/** A conversation by its stored key, and when its oldest message was accepted, epoch ms. */
export interface OldestIn {
  scope: string;
  ts: number;
}

/** The most that one unit removes, beyond its last message: the full-text index costs as much as the text. */
const maxBytesPerUnit = 256 * 1024;
const maxPerUnit = 50;

// Without the text, which SQLite then does not read: most of what a step looks at may have to stay.
const columns = `seq, ts, sender, recipient, scope, octet_length(body) + octet_length(data)
  + octet_length(attachments) + coalesce(octet_length(title), 0) + ${limits.retention.messageBytes} AS bytes`;

function entryOf(removal: Removal, at: number): AuditEntry {
  const { rule, count, bytes, oldestAt, newestAt, upTo } = removal;
  return {
    at,
    kind: 'retention_removed',
    via: 'host',
    member: null,
    credential: null,
    address: null,
    subject: rule,
    before: null,
    after: { count, bytes, oldestAt, newestAt, upTo },
  };
}

export function retentionUnits(db: Database.Database) {
  const nextScope = db
    .prepare<[string], string>('SELECT scope FROM message WHERE scope > ? ORDER BY scope LIMIT 1')
    .pluck();
  const oldestTs = db
    .prepare<[string], number>('SELECT ts FROM message WHERE scope = ? ORDER BY ts LIMIT 1')
    .pluck();
  const tsAt = db
    .prepare<[number], number>('SELECT ts FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const olderIn = db.prepare<[string, number, number, number, number], RemovableMessage>(
    `SELECT ${columns} FROM message WHERE scope = ? AND ts >= ? AND ts < ? AND seq > ? ORDER BY ts, seq LIMIT ?`,
  );
  const oldest = db.prepare<[number, number], RemovableMessage>(
    `SELECT ${columns} FROM message WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const newest = db.prepare<[], number>('SELECT seq FROM message ORDER BY seq DESC LIMIT 1').pluck();
  const isOpen = db
    .prepare<[string], number>("SELECT status IN ('active', 'blocked') FROM objective WHERE id = ?")
    .pluck();
  const floor = db.prepare<[], number>('SELECT seq FROM message_floor WHERE only = 1').pluck();
  const size = db.prepare<[], { upTo: number; bytes: number }>(
    'SELECT up_to AS upTo, bytes FROM message_size WHERE only = 1',
  );
  const setSize = db.prepare<[number, number]>('UPDATE message_size SET up_to = ?, bytes = ? WHERE only = 1');
  const record = db.prepare<[string, string]>(
    'INSERT INTO recorded_removal (run, rule) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const forgetRecorded = db.prepare<[string, string]>(
    'DELETE FROM recorded_removal WHERE run = ? AND rule = ?',
  );
  const channelExists = db.prepare<[string], number>('SELECT 1 FROM channel WHERE id = ?').pluck();
  const wasRemoved = db
    .prepare<[string, string], number>('SELECT 1 FROM retired_name WHERE folded = ? AND name = ?')
    .pluck();
  const objectiveExists = db.prepare<[string], number>('SELECT 1 FROM objective WHERE id = ?').pluck();
  const remove = messageRemoval(db);
  const removals = removalRows(db);
  const trail = auditTrail(db);
  const scopes = scopeAccess(db);

  /** The thread of an objective that is not done or canceled stays as it is. */
  function isOpenThread(key: string): boolean {
    const scope = parseScope(key);
    return scope?.kind === 'objective' && isOpen.get(scope.objectiveId) === 1;
  }

  /**
   * Removes those of the messages that may go, oldest first, until there is enough of them. The newest message of the store always stays:
   * the next one gets the position after it.
   */
  function removeOf(
    found: readonly RemovableMessage[],
    { run, rule, held, limit }: RemovalOrder,
    mayGo: (message: RemovableMessage) => boolean,
    isEnough: () => boolean = () => false,
  ): MessageStep {
    const last = newest.get() ?? 0;
    const gone: RemovableMessage[] = [];
    let bytes = 0;
    let next: number | null = null;
    let isCut = false;
    for (const message of found) {
      isCut = bytes >= maxBytesPerUnit || gone.length === maxPerUnit || isEnough();
      if (isCut) break;
      next = message.seq;
      const isKept =
        message.seq === last || !mayGo(message) || held.some((name) => scopes.concerned(message, name));
      if (isKept) continue;
      remove(message);
      gone.push(message);
      bytes += message.bytes;
    }
    const sum = summed(gone.map(({ seq, ts, bytes: counted }) => ({ at: ts, bytes: counted, place: seq })));
    if (sum !== null) removals.add({ run, rule, ...sum });
    const isEnd = isEnough() || (!isCut && found.length < limit);
    return { removed: gone.length, floor: floor.get() ?? 0, next: isEnd ? null : next };
  }

  return {
    reads: {},
    upkeep: {
      messageFloor: (): number => floor.get() ?? 0,
      /** Returns the next conversations by key. */
      oldestPerScope: ({ after, limit }: { after: string; limit: number }): OldestIn[] => {
        const found: OldestIn[] = [];
        for (let scope = nextScope.get(after); scope !== undefined; scope = nextScope.get(scope)) {
          found.push({ scope, ts: oldestTs.get(scope) ?? 0 });
          if (found.length === limit) break;
        }
        return found;
      },
      /** Whether the store knows a channel, an objective, or a member that was removed. */
      isHoldable: ({ kind, id }: { kind: 'channel' | 'objective' | 'member'; id: string }): boolean => {
        if (kind === 'member') return wasRemoved.get(foldedName(id), id) !== undefined;
        return (kind === 'channel' ? channelExists : objectiveExists).get(id) !== undefined;
      },
    },
    writes: {
      /** Removes messages of one conversation that were accepted before a time. */
      removeOldMessages: (
        order: RemovalOrder & { scope: string; before: number; after: number },
      ): MessageStep => {
        const { scope, before, after, limit } = order;
        if (isOpenThread(scope)) return { removed: 0, floor: floor.get() ?? 0, next: null };
        const from = after === 0 ? 0 : (tsAt.get(after) ?? 0);
        return removeOf(olderIn.all(scope, from, before, after, limit), order, () => true);
      },
      /**
       * Adds what was not counted yet to the size of all messages. Resolves to true when there is nothing left to count.
       */
      countMessages: ({ limit }: { limit: number }): boolean => {
        const counted = size.get() ?? { upTo: 0, bytes: 0 };
        const found = oldest.all(counted.upTo, limit);
        const last = found.at(-1);
        if (last !== undefined)
          setSize.run(
            last.seq,
            found.reduce((sum, { bytes }) => sum + bytes, counted.bytes),
          );
        return found.length < limit;
      },
      /** Removes the oldest messages while all that were counted are larger than `maxBytes`. `exempt`: stored keys of conversations. */
      removeExcessMessages: (
        order: RemovalOrder & { maxBytes: number; after: number; exempt: readonly string[] },
      ): MessageStep => {
        const { maxBytes, after, limit, exempt } = order;
        const isEnough = (): boolean => (size.get()?.bytes ?? 0) <= maxBytes;
        const isKeptByScope = new Map<string, boolean>(exempt.map((scope) => [scope, true]));
        function mayGo({ scope }: RemovableMessage): boolean {
          const isKept = isKeptByScope.get(scope) ?? isOpenThread(scope);
          isKeptByScope.set(scope, isKept);
          return !isKept;
        }
        const found = isEnough() ? [] : oldest.all(after, limit);
        return removeOf(found, order, mayGo, isEnough);
      },
      /**
       * Removes the oldest records of the audit log that are from before a time or too many, and appends the record of it. Resolves to how
       * many there were.
       */
      pruneAudit: (bounds: AuditBounds & { limit: number; at: number }): number => {
        const { before, maxRecords, excessBefore, limit, at } = bounds;
        const head = trail.head();
        const surplus = head.seq - trail.first().seq - maxRecords;
        // The record of this removal needs a place as well, and the newest record of all stays.
        const excess = surplus > 0 ? surplus + 1 : 0;
        const found = trail.oldest(limit).filter(({ seq }) => seq < head.seq);
        const young = found.findIndex(
          (record, index) => record.at >= before && (index >= excess || record.at >= excessBefore),
        );
        const gone = young === -1 ? found : found.slice(0, young);
        const last = gone.at(-1);
        const sum = summed(gone.map((record) => ({ at: record.at, bytes: 0, place: record.seq })));
        if (last === undefined || sum === null) return 0;
        trail.removeUpTo(last);
        const rule = gone.length <= excess ? 'audit.maxRecords' : 'audit.days';
        const entry = entryOf({ run: '', rule, ...sum }, at);
        // With the hash, the record says from where the chain goes on.
        trail.append({ ...entry, after: { ...entry.after, hash: last.hash } });
        return gone.length;
      },
      /** Records what runs removed from this store. */
      recordRemovals: ({ at }: { at: number }): void => {
        for (const removal of removals.all()) {
          trail.append(entryOf(removal, at));
          removals.forget(removal);
        }
      },
      /** Records what ended runs removed from the activity store, each once. */
      recordActivityRemovals: (input: { at: number; removals: readonly Removal[] }): void => {
        for (const removal of input.removals)
          if (record.run(removal.run, removal.rule).changes > 0) trail.append(entryOf(removal, input.at));
      },
      /** The activity store has forgotten them. */
      forgetRecorded: ({ removals: forgotten }: { removals: readonly Removal[] }): void => {
        for (const { run, rule } of forgotten) forgetRecorded.run(run, rule);
      },
    },
  };
}
export type RetentionUnits = AsyncUnits<typeof retentionUnits>;
