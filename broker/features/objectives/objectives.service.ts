/**
 * Objectives: one unit of work per move, published after the commit (specification/objectives.md#operations).
 */
import type { MemberName, ObjectiveId } from '#protocol/ids.ts';
import type { ObjectiveResult } from '#protocol/inbox-items.ts';
import { limits } from '#protocol/limits.ts';
import type { Message } from '#protocol/message.ts';
import type {
  DiscussionPost,
  NewObjective,
  Objective,
  ObjectiveCancellation,
  ObjectiveCompletion,
  ObjectiveEvent,
  ObjectivePatch,
  ObjectiveReassignment,
  ObjectivesQuery,
  WatcherPatch,
} from '#protocol/objective.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { MessageStamp } from '../../runtime/message-stamps.ts';
import { unlessDamaged } from '../../runtime/unless-damaged.ts';
import type { ActivityOutbox } from '../activity/activity-outbox.service.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Files } from '../files/files.service.ts';
import type { Author, Authors } from '../holds/authors.service.ts';
import type { AnswerKey } from '../idempotency/idempotency.service.ts';
import type { Members } from '../members/members.service.ts';
import type { MessageRow, Posting } from '../messages/messages.service.ts';
import { parseScopeKey } from '../scopes/scope-key.ts';
import type { Move } from './objective.rules.ts';
import type { Posted } from './objective-log.sqlite.ts';
import { threadOf } from './objective-notices.rules.ts';
import type { ObjectiveUnits, OpenObjectives } from './objectives.sqlite.ts';

export interface Objectives {
  /** Returns the JSON of the Objective. @throws BrokerError bad_request, and what attachments refuse. */
  create(actor: Actor, request: NewObjective, idempotencyKey: string | undefined): Promise<string>;
  /**
   * Newest first, in pages: all of them, or as many as the query's limit. @throws BrokerError bad_request.
   */
  pages(query: ObjectivesQuery): AsyncGenerator<Objective[]>;
  /** Returns what others completed for the originator after an instant, epoch ms, the last one first (specification/attention.md#inbox). */
  results(originator: MemberName, after: number): Promise<ObjectiveResult[]>;
  /** Returns the objective, then its audit log in pages, oldest first. @throws BrokerError not_found. */
  view(id: ObjectiveId): Promise<{ objective: Objective; events: AsyncGenerator<ObjectiveEvent[]> }>;
  /** Every move @throws BrokerError not_found, forbidden, conflict, gone, bad_request. */
  update(actor: Actor, id: ObjectiveId, patch: ObjectivePatch): Promise<Objective>;
  complete(actor: Actor, id: ObjectiveId, completion: ObjectiveCompletion): Promise<Objective>;
  cancel(actor: Actor, id: ObjectiveId, cancellation: ObjectiveCancellation): Promise<Objective>;
  reassign(actor: Actor, id: ObjectiveId, reassignment: ObjectiveReassignment): Promise<Objective>;
  changeWatchers(actor: Actor, id: ObjectiveId, patch: WatcherPatch): Promise<Objective>;
  /**
   * Returns the JSON of the Message. @throws BrokerError not_found, forbidden, and what attachments refuse.
   */
  discuss(
    actor: Actor,
    id: ObjectiveId,
    post: DiscussionPost,
    idempotencyKey: string | undefined,
  ): Promise<string>;
  /** Delivers a held post of a thread as its writer's. @throws BrokerError. */
  releasePost(held: MessageRow): Promise<Message>;
  /**
   * Returns what is assigned to the member and not terminal, `active` ones first
   * (specification/team.md#briefing).
   */
  openOf(member: MemberName): Promise<OpenObjectives>;
  /**
   * After the member was removed from the configuration, its open objectives become blocked
   * (specification/members.md#removing-a-member).
   */
  releaseOf(member: string): Promise<void>;
}

export interface ObjectivesDeps {
  units: ObjectiveUnits;
  members: Members;
  files: Pick<Files, 'admitAttachments'>;
  posting: Posting;
  mintId: () => ObjectiveId;
  /** The only source of stamps, shared by everything that writes messages. */
  nextStamp: () => MessageStamp;
  outbox: Pick<ActivityOutbox, 'drain'>;
  authors: Authors;
  audit: Pick<Audit, 'entry'>;
  /** Called for every objective that became done. */
  onDone: () => void;
  /** Called for every objective that a removed member left behind. */
  onReleased: (id: ObjectiveId) => void;
  /** A write failed that the next start makes up for. */
  onWriteDeferred: (error: unknown) => void;
}

/** How many the store reads at a time, because every other read waits: objectives may be 6 KB long each, and events are short. */
const objectivesAtATime = 25;
const eventsAtATime = 100;
/** How many of a removed member's objectives go into one transaction. */
const maxReleasedAtOnce = 64;

export function createObjectives(deps: ObjectivesDeps): Objectives {
  const { units, members, files, posting, nextStamp, outbox } = deps;
  const { audit, authors, mintId, onDone, onReleased, onWriteDeferred } = deps;

  const unknownAmong = (names: readonly string[]): string[] =>
    names.filter((name) => members.find(name) === undefined);

  const asActor = (actor: Actor) => ({
    name: actor.name,
    permissions: [...actor.permissions],
    isAgent: authors.isAgent(actor),
  });

  const stamps = (count: number): MessageStamp[] => Array.from({ length: count }, nextStamp);

  const publish = (posted: readonly Posted[]): void => {
    for (const one of posted) posting.publish(one);
  };

  /**
   * Moves what the change staged to the activity store now; what cannot be moved goes with the next change or
   * start.
   */
  const carryOver = (): void => void unlessDamaged(outbox.drain()).catch(onWriteDeferred);

  async function make(
    actor: Actor,
    id: ObjectiveId,
    move: Move,
    named: readonly string[],
  ): Promise<Objective> {
    const { objective, notices } = await units.moveObjective({
      id,
      move,
      actor: asActor(actor),
      managers: members.managers(),
      unknown: unknownAmong(named),
      stamps: stamps(maxEventsOf(move)),
    });
    publish(notices);
    if (notices.length > 0) carryOver();
    if (move.kind === 'complete') onDone();
    return objective;
  }

  async function discuss(message: MessageRow, id: string, author: Author, answerKey: AnswerKey | null) {
    const name = message.sender as MemberName;
    const posted = await units.discussObjective({
      id,
      actor: { name, permissions: [...(members.find(name)?.permissions ?? [])] },
      author,
      managers: members.managers(),
      message,
      attachments: JSON.parse(message.attachments) as string[],
      sharing: audit.entry('files_shared', {}),
      answerKey,
    });
    if (!('seq' in posted)) return posted;
    return { message: posted.message, reply: posting.publish(posted) };
  }

  return {
    async create(actor, request, key) {
      const { name } = actor;
      const attachments = [...new Set(request.attachments ?? [])];
      files.admitAttachments(name, attachments);
      const kept = { member: name, operation: 'createObjective', key, body: request };
      return posting.once(kept, async (answerKey) => {
        const watchers = request.watchers ?? [];
        const made = await units.createObjective({
          draft: {
            id: mintId(),
            title: request.title,
            outcome: request.outcome,
            body: request.body ?? '',
            assignee: request.assignee,
            originator: name,
            watchers,
            attachments,
          },
          actor: asActor(actor),
          sharing: audit.entry('files_shared', {}),
          managers: members.managers(),
          unknown: unknownAmong([request.assignee, ...watchers]),
          stamps: stamps(1),
          answerKey,
        });
        if ('replay' in made) return made;
        publish(made.notices);
        carryOver();
        return { reply: JSON.stringify(made.objective) };
      });
    },
    async *pages({
      assignee = null,
      originator = null,
      status = null,
      limit = Number.POSITIVE_INFINITY,
      before = null,
    }) {
      let from: string | null = before;
      for (let left = limit; left > 0; left -= objectivesAtATime) {
        const page = { assignee, originator, status, before: from, limit: Math.min(left, objectivesAtATime) };
        const { objectives, next } = await units.objectivesPage(page);
        yield objectives;
        if (next === null) return;
        from = next;
      }
    },
    results: (originator, after) =>
      units.objectiveResults({ originator, after, limit: limits.inbox.results }),
    async view(id) {
      const first = await units.objectiveEvents({ id, after: 0, limit: eventsAtATime });
      const { objective, lastSeq } = first;
      async function* pages() {
        for (let page = first.events; page.length > 0; ) {
          // Events that were logged after the objective was read belong to a later answer.
          yield page.filter(({ seq }) => seq <= lastSeq);
          const after = page.at(-1)?.seq ?? lastSeq;
          if (after >= lastSeq) return;
          page = (await units.objectiveEvents({ id, after, limit: eventsAtATime })).events;
        }
      }
      return { objective, events: pages() };
    },
    update: (actor, id, { status, blockReason }) =>
      make(actor, id, { kind: 'update', status: status ?? null, blockReason: blockReason ?? null }, []),
    complete: (actor, id, { result }) => make(actor, id, { kind: 'complete', result }, []),
    cancel: (actor, id, { reason }) => make(actor, id, { kind: 'cancel', reason: reason || null }, []),
    reassign: (actor, id, { to, note }) =>
      make(actor, id, { kind: 'reassign', to, note: note || null }, [to]),
    changeWatchers(actor, id, patch) {
      const add = patch.add ?? [];
      const remove = patch.remove ?? [];
      return make(actor, id, { kind: 'watchers', add, remove }, [...add, ...remove]);
    },
    async discuss(actor, id, post, key) {
      const { name } = actor;
      const attachments = [...new Set(post.attachments ?? [])];
      files.admitAttachments(name, attachments);
      const kept = { member: name, operation: 'discussObjective', key, body: { id, ...post } };
      const row: Omit<MessageRow, keyof MessageStamp> = {
        sender: name,
        recipient: null,
        scope: threadOf(id),
        title: post.title ?? null,
        body: post.body,
        level: 'info',
        data: JSON.stringify({ thread: threadOf(id) }),
        attachments: JSON.stringify(attachments),
        in_reply_to: post.inReplyTo ?? null,
        auto: post.auto === true ? 1 : 0,
        agent_hops: null,
      };
      const author = authors.authorOf(actor, post.causes, null);
      return posting.once(kept, (answerKey) => discuss({ ...row, ...nextStamp() }, id, author, answerKey));
    },
    async releasePost(held) {
      const scope = parseScopeKey(held.scope);
      if (scope.kind !== 'objective') throw new Error(`a post in ${held.scope} is in no thread`);
      const author = { kind: 'release' as const, heldId: held.id, audit: audit.entry('held_released', {}) };
      const outcome = await discuss({ ...held, ...nextStamp() }, scope.objectiveId, author, null);
      if (!('message' in outcome)) throw new Error('a release is neither repeated nor held');
      return outcome.message;
    },
    openOf: (assignee) => units.openObjectivesOf({ assignee, limit: limits.briefingObjectives }),
    async releaseOf(member) {
      for (let isDone = false; !isDone; ) {
        const released = await units.releaseObjectives({
          member,
          managers: members.managers(),
          stamps: stamps(maxReleasedAtOnce),
        });
        publish(released.notices);
        for (const id of released.ids) onReleased(id);
        isDone = released.isDone;
      }
    },
  };
}

/** Returns the most audit events that a move can have, each of which has a notice of its own. */
function maxEventsOf(move: Move): number {
  if (move.kind === 'watchers') return Math.max(1, move.add.length + move.remove.length);
  return move.kind === 'reassign' ? 2 : 1;
}
