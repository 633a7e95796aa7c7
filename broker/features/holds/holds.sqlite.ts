/** Posts of agents in the main store: how many hops they are from a person, and which ones are held (ADR 0024). */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import { foldedName } from '#protocol/folded-name.ts';
import type { HeldPost } from '#protocol/held.ts';
import { limits } from '#protocol/limits.ts';
import type { HoldReason } from '#protocol/message.ts';
import { acceptedAt } from '#protocol/message-time.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { type MessageRow, toMessage } from '../messages/message-rows.sqlite.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { scopeNameOf } from '../scopes/scope-key.ts';
import { type Earlier, type Hops, holdReasonOf, hopsOf, isPersons } from './hold.rules.ts';

/** The author of a post. `release`: an agent wrote it, and a person releases it. */
export type Author =
  | { kind: 'person' }
  | {
      kind: 'agent';
      /** Ids of messages, as the runner names them. */
      causes: readonly string[];
      maxHops: number;
      /** Whether an agent may read it; else it is never held. */
      isForAgent: boolean;
    }
  | { kind: 'release'; heldId: string; audit: AuditEntry };

/** `reason` is null unless the post is held. */
export interface Verdict {
  hops: Hops;
  reason: HoldReason | null;
}

type Placed = Earlier & { seq: number };
type HeldRow = { seq: number; reason: HoldReason; post: string };
const parsed = ({ post }: Pick<HeldRow, 'post'>): MessageRow => JSON.parse(post) as MessageRow;

/** For adapters, inside their own transaction. */
export function heldRows(db: Database.Database) {
  const find = db.prepare<[string], HeldRow>('SELECT seq, reason, post FROM held WHERE id = ?');
  const idsOf = db.prepare<[string], string>('SELECT id FROM held WHERE sender = ? ORDER BY seq').pluck();
  const remove = db.prepare<[string]>('DELETE FROM held WHERE id = ?');
  const trail = auditTrail(db);

  function takeOut(id: string, writer: string, audit: AuditEntry): void {
    remove.run(id);
    trail.append({ ...audit, subject: writer, before: { heldId: id } });
  }

  return {
    /** @throws BrokerError unknown_held. */
    find: (id: string): HeldRow => find.get(id) ?? refuse('unknown_held'),
    /** Removes a held post, with a record of why. */
    takeOut,
    /** Returns the ids of the posts, oldest first. */
    takeOutAllOf(writer: string, audit: AuditEntry): string[] {
      const ids = idsOf.all(writer);
      for (const id of ids) takeOut(id, writer, audit);
      return ids;
    },
  };
}

/** For adapters, inside the transaction of the post. */
export function holds(db: Database.Database) {
  const { lookback, perMember, perTeam } = limits.holds;
  const retired = db.prepare<[string, string]>('SELECT 1 FROM retired_name WHERE folded = ? AND name = ?');
  const newest = db.prepare<[string, number], Placed>(
    'SELECT seq, coalesce(accepted_at, ts) AS ts, sender, agent_hops AS hops FROM message AS m WHERE scope = ? ORDER BY m.ts DESC, seq DESC LIMIT ?',
  );
  const byId = db.prepare<[string], Placed & { scope: string }>(
    'SELECT seq, ts, sender, scope, agent_hops AS hops FROM message WHERE id = ?',
  );
  const insert = db.prepare<[string, string, string, string, string]>(
    'INSERT INTO held (id, sender, scope, reason, post) VALUES (?, ?, ?, ?, ?)',
  );
  const earlierOf = db
    .prepare<[string, string, number], number>(
      'SELECT 1 FROM held WHERE sender = ? AND scope = ? AND seq < ? LIMIT 1',
    )
    .pluck();
  const countOf = db.prepare<[string], number>('SELECT count(*) FROM held WHERE sender = ?').pluck();
  const count = db.prepare<[], number>('SELECT count(*) FROM held').pluck();
  const rows = heldRows(db);
  const scopes = scopeAccess(db);

  /** The hops of the causes that the poster may read, without its own posts. A later post by a person resets them. */
  function causesOf(ids: readonly string[], poster: Reader): Hops[] {
    const personAtByScope = new Map<string, number>();
    function personAt(scope: string): number {
      const known = personAtByScope.get(scope);
      if (known !== undefined) return known;
      const at = newest.all(scope, lookback).find(({ hops }) => isPersons(hops))?.seq ?? 0;
      personAtByScope.set(scope, at);
      return at;
    }
    return ids.flatMap((id) => {
      const cause = byId.get(id);
      if (cause === undefined || cause.sender === poster.name || !scopes.mayRead(cause.scope, poster))
        return [];
      return personAt(cause.scope) > cause.seq ? [0] : [cause.hops];
    });
  }

  function admit(message: MessageRow, reason: HoldReason): void {
    const { id, sender, scope } = message;
    if ((countOf.get(sender) ?? 0) >= perMember)
      refuse('too_many_held', { max: perMember, whose: `of ${sender}` });
    if ((count.get() ?? 0) >= perTeam) refuse('too_many_held', { max: perTeam, whose: 'of the team' });
    insert.run(id, sender, scope, reason, JSON.stringify(message));
  }

  return {
    /**
     * Decides about a post, and keeps it if it is held. A release takes the held post out.
     * @throws BrokerError too_many_held, unknown_held, held_earlier.
     */
    decide(message: MessageRow, poster: Reader, author: Author): Verdict {
      switch (author.kind) {
        case 'person':
          return { hops: null, reason: null };
        case 'release': {
          const row = rows.find(author.heldId);
          // Its removal has begun, and drops the post next.
          if (retired.get(foldedName(message.sender), message.sender) !== undefined)
            refuse('unknown_member', { name: message.sender });
          if (earlierOf.get(message.sender, message.scope, row.seq) !== undefined)
            refuse('held_earlier', { member: message.sender });
          rows.takeOut(author.heldId, message.sender, author.audit);
          return { hops: 0, reason: null };
        }
        case 'agent': {
          const { sender, scope } = message;
          const now = message.accepted_at ?? message.ts;
          const earlier = newest.all(scope, lookback);
          const isDirect = message.recipient !== null;
          const hops = hopsOf(causesOf(author.causes, poster), earlier, { sender, isDirect, now });
          const candidate = { sender, hops, maxHops: author.maxHops, isDirect, now };
          const reason = author.isForAgent ? holdReasonOf(candidate, earlier) : null;
          if (reason !== null) admit({ ...message, agent_hops: hops }, reason);
          return { hops, reason };
        }
      }
    },
  };
}

export function heldUnits(db: Database.Database) {
  const all = db.prepare<[], HeldRow>('SELECT seq, reason, post FROM held ORDER BY seq');
  const bySender = db.prepare<[string], HeldRow>(
    'SELECT seq, reason, post FROM held WHERE sender = ? ORDER BY seq',
  );
  const rows = heldRows(db);
  const scopes = scopeAccess(db);

  function shown(row: HeldRow): HeldPost {
    const post = parsed(row);
    const message = toMessage(post);
    const { id, from, to, title, body, attachments, agent } = message;
    return {
      id,
      at: acceptedAt(message),
      from,
      to,
      scope: scopeNameOf(post.scope, from),
      title,
      excerpt: body.slice(0, limits.holds.excerpt),
      attachments,
      hops: agent?.hops ?? 0,
      reason: row.reason,
    };
  }

  return {
    reads: {
      /** Oldest first: everybody's for a manager, and otherwise the reader's own, where it still may know of the conversation. */
      heldPosts: ({ reader }: { reader: Reader }): HeldPost[] =>
        reader.isManager
          ? all.all().map(shown)
          : bySender
              .all(reader.name)
              .flatMap((row) => (scopes.knows(parsed(row).scope, reader) ? shown(row) : [])),
      /** @throws BrokerError unknown_held. */
      heldPost: ({ id }: { id: string }): MessageRow => parsed(rows.find(id)),
    },
    writes: {
      /** Returns who wrote the post. @throws BrokerError unknown_held. */
      dropHeld: ({ id, audit }: { id: string; audit: AuditEntry }): string => {
        const { sender } = parsed(rows.find(id));
        rows.takeOut(id, sender, audit);
        return sender;
      },
    },
  };
}
export type HeldUnits = AsyncUnits<typeof heldUnits>;
