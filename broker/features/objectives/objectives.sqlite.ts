/**
 * Objectives in the main store: each move is one unit that loads, decides by the rules, and writes all
 * results (specification/objectives.md#states).
 */
import type Database from 'better-sqlite3';
import type { Leaf } from '#protocol/access.ts';
import type { AuditEntry } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import type { ObjectiveResult } from '#protocol/inbox-items.ts';
import type { ThreadPost } from '#protocol/message.ts';
import type { Objective, ObjectiveEvent } from '#protocol/objective.ts';
import { objectiveRules } from '#protocol/objective-access.ts';
import type { MessageStamp } from '../../runtime/message-stamps.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { attachmentGrants } from '../files/attachment-grants.sqlite.ts';
import { type Author, holds } from '../holds/holds.sqlite.ts';
import { type AnswerKey, keyedAnswers } from '../idempotency/idempotency.sqlite.ts';
import { type MessageRow, messageRows, toMessage } from '../messages/message-rows.sqlite.ts';
import type { ReceiptNews } from '../receipts/receipts.sqlite.ts';
import { replies } from '../receipts/replies.sqlite.ts';
import { threadMembers } from '../scopes/scope-access.rules.ts';
import {
  authorize,
  create,
  type Draft,
  decide,
  isTerminal,
  type Move,
  release,
  removalReason,
} from './objective.rules.ts';
import { objectiveLog, type Posted } from './objective-log.sqlite.ts';
import { threadOf } from './objective-notices.rules.ts';
import { type Filter, objectiveRows, type Placed } from './objective-rows.sqlite.ts';

/** The facts that the store cannot know, because members are in the configuration. */
interface Asked {
  actor: { name: string; permissions: readonly Leaf[]; isAgent: boolean };
  /** The holders of members.manage. */
  managers: string[];
  /** The names in the request that are not members. */
  unknown: string[];
  /** In increasing order, one for each event that the move can have. */
  stamps: MessageStamp[];
}

/** For files that the actor may read only as a manager. */
interface Sharing {
  sharing?: AuditEntry;
}

export interface Creation extends Asked, Sharing {
  draft: Draft;
  answerKey: AnswerKey | null;
}

export interface Moving extends Asked {
  id: string;
  move: Move;
}

export interface Discussion extends Pick<Asked, 'managers'>, Sharing {
  id: string;
  actor: Pick<Asked['actor'], 'name' | 'permissions'>;
  author: Author;
  message: MessageRow;
  attachments: string[];
  answerKey: AnswerKey | null;
}

/** The change and its notices, or the JSON of the first answer to the same key. */
export type Moved = { objective: Objective; notices: Posted[] };
export type Replayed = { replay: string };
/** A post in a thread. */
export type Discussed = Posted & { answered: ReceiptNews | null };
/** The id of a post that is held, with the JSON of its answer. */
export type HeldInThread = { held: string; reply: string };

/** Newest first; `next` is the id before which the next page begins, null at the end. */
export interface ObjectivesPage {
  objectives: Objective[];
  next: string | null;
}

export interface OpenObjectives {
  objectives: Objective[];
  /** Of all of them. */
  count: number;
}

export interface EventsPage {
  objective: Objective;
  events: ObjectiveEvent[];
  /** The newest event. */
  lastSeq: number;
}

const beyond = Number.MAX_SAFE_INTEGER;

export function objectiveUnits(db: Database.Database) {
  const rows = objectiveRows(db);
  const { record } = objectiveLog(db);
  const replied = replies(db);
  const { decide: decidePost } = holds(db);
  const answers = keyedAnswers(db);
  const files = attachmentGrants(db);
  const messages = messageRows(db);
  const assigned = db
    .prepare<[string, number], number>(
      "SELECT num FROM objective WHERE assignee = ? AND status = 'active' ORDER BY num LIMIT ?",
    )
    .pluck();
  const stillBlocked = db
    .prepare<[string, string, number], number>(
      "SELECT num FROM objective WHERE assignee = ? AND status = 'blocked' AND block_reason <> ? ORDER BY num LIMIT ?",
    )
    .pluck();

  const found = (id: string): Placed => rows.find(id) ?? refuse('unknown_objective');

  /** Makes the actor's files readable for the thread, now and later. */
  function share(
    { actor, sharing }: Pick<Discussion, 'actor' | 'sharing'>,
    paths: readonly string[],
    objectiveId: string,
    { id, ts, accepted_at }: { id: string | null; ts: number; accepted_at?: number | null },
  ): void {
    if (paths.length === 0) return;
    files.resolve(actor, paths);
    const why = { audience: threadOf(objectiveId), messageId: id, objectiveId, grantedAt: accepted_at ?? ts };
    files.grant(actor, paths, why, sharing ?? null);
  }

  return {
    reads: {
      /** @throws BrokerError bad_request for a `before` that is no objective. */
      objectivesPage: (input: Filter & { before: string | null; limit: number }): ObjectivesPage => {
        const { before, limit } = input;
        const start = before === null ? beyond : rows.find(before)?.num;
        if (start === undefined) refuse('unknown_objective_before');
        const objectives = rows.page(input, start, limit).map(({ objective }) => objective);
        return { objectives, next: objectives.length < limit ? null : (objectives.at(-1)?.id ?? null) };
      },
      /** Returns the results of others for the originator after an instant, epoch ms; the last one first. */
      objectiveResults: (input: { originator: string; after: number; limit: number }): ObjectiveResult[] =>
        rows.resultsOf(input.originator, input.after, input.limit),
      /** @throws BrokerError not_found. */
      objectiveEvents: (input: { id: string; after: number; limit: number }): EventsPage => {
        const placed = found(input.id);
        return {
          objective: placed.objective,
          events: rows.eventsOf(placed, input.after, input.limit),
          lastSeq: rows.lastEventOf(placed.num),
        };
      },
      /** `active` ones, then `blocked` ones, each newest first: at most `limit`, and how many there are (specification/team.md#briefing). */
      openObjectivesOf: ({ assignee, limit }: { assignee: string; limit: number }): OpenObjectives => {
        const all = { assignee, originator: null };
        const active = rows.page({ ...all, status: 'active' }, beyond, limit);
        const blocked = rows.page({ ...all, status: 'blocked' }, beyond, limit - active.length);
        const count = rows.countIn(assignee, 'active') + rows.countIn(assignee, 'blocked');
        return { objectives: [...active, ...blocked].map(({ objective }) => objective), count };
      },
    },
    writes: {
      /** @throws BrokerError bad_request for unknown names, and what attachments refuse. */
      createObjective: (input: Creation): Moved | Replayed => {
        const { draft, actor, managers, unknown, stamps, answerKey } = input;
        const replay = answerKey === null ? null : answers.replyTo(answerKey);
        if (replay !== null) return { replay };
        const change = create(draft, { unknown, now: stamps[0]?.ts ?? 0 });
        const { objective } = change;
        share(input, objective.attachments, objective.id, {
          ...{ id: null, ts: objective.createdAt },
          accepted_at: stamps[0]?.accepted_at ?? null,
        });
        const notices = record(null, change, { actor: actor.name, isAgent: actor.isAgent, managers, stamps });
        if (answerKey !== null) answers.keep(answerKey, JSON.stringify(objective));
        return { objective, notices };
      },
      /** @throws BrokerError not_found, forbidden, conflict or gone, bad_request, in this order. */
      moveObjective: ({ id, move, actor, managers, unknown, stamps }: Moving): Moved => {
        const before = found(id);
        const change = decide(before.objective, move, actor, { unknown, now: stamps[0]?.ts ?? 0 });
        return {
          objective: change.objective,
          notices: record(before, change, { actor: actor.name, isAgent: actor.isAgent, managers, stamps }),
        };
      },
      /**
       * Accepts posts in terminal threads, too (specification/objectives.md#discussion). @throws BrokerError
       * not_found, forbidden, and what attachments refuse.
       */
      discussObjective: (input: Discussion): Discussed | Replayed | HeldInThread => {
        const { id, actor, author, managers, attachments, answerKey } = input;
        const replay = answerKey === null ? null : answers.replyTo(answerKey);
        if (replay !== null) return { replay };
        const { objective } = found(id);
        authorize(objectiveRules.discuss, objective, actor);
        const poster = { name: actor.name, isManager: managers.includes(actor.name) };
        replied.admit(input.message.in_reply_to, poster);
        files.resolve(actor, attachments);
        const { hops, reason } = decidePost(input.message, poster, author);
        const message: MessageRow = { ...input.message, agent_hops: hops };
        const posted = toMessage(message);
        if (reason !== null) {
          const reply = JSON.stringify({ ...posted, held: { id: posted.id, reason } } satisfies ThreadPost);
          if (answerKey !== null) answers.keep(answerKey, reply);
          return { held: posted.id, reply };
        }
        const answered = replied.answer(
          message.in_reply_to,
          poster,
          message.accepted_at ?? message.ts,
          managers,
        );
        share(input, attachments, objective.id, message);
        const audience = threadMembers(objective, managers);
        const seq = messages.insert(message);
        messages.address(seq, message, audience);
        if (answerKey !== null) answers.keep(answerKey, JSON.stringify(posted));
        return { seq, message: posted, audience, concerned: [], answered };
      },
      /**
       * Handles what a removed member leaves behind, as many objectives at a time as there are stamps: its
       * open ones become blocked, and it leaves the watchers of all. Call it until it is done; repeating it
       * changes nothing (specification/members.md#removing-a-member).
       */
      releaseObjectives: (input: {
        member: string;
        managers: string[];
        stamps: MessageStamp[];
      }): { ids: Objective['id'][]; notices: Posted[]; isDone: boolean } => {
        const { member, managers, stamps } = input;
        const limit = stamps.length;
        const nums = [
          ...assigned.all(member, limit),
          ...stillBlocked.all(member, removalReason(member), limit),
          ...rows.watchedBy(member, limit),
        ].slice(0, limit);
        const ids: Objective['id'][] = [];
        const notices = nums.flatMap((num, index) => {
          const before = rows.at(num);
          const stamp = stamps[index];
          if (before === undefined || stamp === undefined) return [];
          ids.push(before.objective.id);
          const change = release(before.objective, member, stamp.ts);
          // Nobody has anything left to do about a terminal one.
          const isTold = !isTerminal(before.objective);
          return record(
            before,
            change,
            { actor: 'system', isAgent: false, managers, stamps: [stamp], except: member },
            isTold,
          );
        });
        return { ids, notices, isDone: nums.length < limit };
      },
    },
  };
}
export type ObjectiveUnits = AsyncUnits<typeof objectiveUnits>;
