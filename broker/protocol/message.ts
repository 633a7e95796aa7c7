/** Messages, the send request, and its result (specification/messages.md). */
import { z } from 'zod';
import { FsPath } from './files.ts';
import { MemberName, MessageId, ObjectiveId, queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';
import { levels } from './vocabulary.ts';

export const Level = z.enum(levels).meta({ id: 'Level' });
export type Level = z.infer<typeof Level>;

const Data = z.record(z.string(), z.unknown());

/** Absent unless used (specification/messages.md#replies). */
const ReplyFields = {
  /** The message that this one answers. */
  inReplyTo: MessageId.optional(),
  /** An agent's runner posted the final text of a turn, in which the agent sent nothing itself. */
  auto: z.literal(true).optional(),
};

/** Present if an agent wrote it. `hops`: posts by agents since a person wrote, this one included; 0 once a person released it. */
const AgentField = { agent: z.object({ hops: z.int().nonnegative() }).optional() };

/** When it was accepted, if `ts` is in the future of that time, because the clock had jumped ahead (specification/diagnostics.md#clock). */
const ClockField = { acceptedAt: Timestamp.optional() };

/** Absent unless its sender changed the text after it was accepted (specification/messages.md#changes). */
const ChangeFields = {
  edited: z.object({ at: Timestamp }).optional(),
  deleted: z.object({ at: Timestamp }).optional(),
};

/** The messages that caused a post of an agent; even without any, the post is an agent's. */
export const CausesRequest = { causes: z.array(MessageId).max(limits.holds.causes).nullish() };

export const holdReasons = ['hops', 'rate'] as const;
export const HoldReason = z.enum(holdReasons).meta({ id: 'HoldReason' });
export type HoldReason = z.infer<typeof HoldReason>;

/** Present if the post is held until a person releases it; nobody has it (specification/messages.md#held-posts). */
const HeldField = { held: z.object({ id: MessageId, reason: HoldReason }).optional() };

/** The same in a request, in which `null` counts as absent. */
export const ReplyRequest = { inReplyTo: MessageId.nullish(), auto: z.literal(true).nullish() };

export const Message = z
  .object({
    id: MessageId,
    ts: Timestamp,
    from: z.string(),
    to: z.string().nullable(),
    title: z.string().nullable(),
    body: z.string(),
    level: Level,
    data: Data,
    attachments: z.array(z.string()),
    ...ReplyFields,
    ...AgentField,
    ...ChangeFields,
    ...ClockField,
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

/** `null` counts as absent. Unknown keys, including `from`, are dropped: the broker sets the sender. */
export const PushPayload = z
  .object({
    to: MemberName.nullish(),
    title: text(0, limits.message.title).nullish(),
    body: text(1, limits.message.body),
    level: Level.default('info'),
    data: Data.nullish(),
    attachments: z.array(FsPath).max(limits.message.attachments).nullish(),
    ...ReplyRequest,
    ...CausesRequest,
  })
  .meta({ id: 'PushPayload' });
export type PushPayload = z.infer<typeof PushPayload>;

/**
 * `targets`: the distinct addressed members, without the sender (a direct message to oneself counts one).
 * `live`: their connections to which the frame was handed.
 */
export const PushResult = z
  .object({
    delivery: z.object({ live: z.int().nonnegative(), targets: z.int().nonnegative() }),
    message: Message,
    ...HeldField,
  })
  .meta({ id: 'PushResult' });
export type PushResult = z.infer<typeof PushResult>;

export const MessageEdit = z.object({ body: text(1, limits.message.body) }).meta({ id: 'MessageEdit' });
export type MessageEdit = z.infer<typeof MessageEdit>;

/** `message`: as it is now. `notice`: the message that tells the conversation. */
export const MessageChange = z.object({ message: Message, notice: Message }).meta({ id: 'MessageChange' });
export type MessageChange = z.infer<typeof MessageChange>;

/** A post in the thread of an objective. */
export const ThreadPost = Message.extend(HeldField).meta({ id: 'ThreadPost' });
export type ThreadPost = z.infer<typeof ThreadPost>;

/**
 * At most one of `with`, `channel`, and `objective`; without one, `general`. Newest first by (ts, id);
 * `before` is strict.
 */
/** The scope that a history request is about: at most one of them; none is `general`. */
const HistoryScope = z.object({
  with: MemberName.optional(),
  channel: text(1, 64).optional(),
  objective: ObjectiveId.optional(),
});
export type HistoryScope = z.infer<typeof HistoryScope>;

const namesOneScope = (query: HistoryScope): boolean =>
  [query.with, query.channel, query.objective].filter((scope) => scope !== undefined).length <= 1;
const oneScope = { error: 'pass at most one of with, channel, and objective' };

export const HistoryQuery = HistoryScope.extend({
  limit: queryInteger(1, limits.history.pageMax).default(limits.history.pageDefault),
  before: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
  beforeId: MessageId.optional(),
})
  .refine(namesOneScope, oneScope)
  .refine((query) => query.beforeId === undefined || query.before !== undefined, {
    error: 'beforeId needs before',
    path: ['beforeId'],
  });
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const History = z.object({ messages: z.array(Message) }).meta({ id: 'History' });
export type History = z.infer<typeof History>;

/** The place need not exist anymore, because ids increase in the order of acceptance. */
export const HistoryWindowQuery = HistoryScope.extend({
  limit: queryInteger(1, limits.history.windowMax).default(limits.history.pageDefault),
  around: MessageId.optional(),
  after: MessageId.optional(),
})
  .refine(namesOneScope, oneScope)
  .refine((query) => (query.around === undefined) !== (query.after === undefined), {
    error: 'pass either around or after',
  });
export type HistoryWindowQuery = z.infer<typeof HistoryWindowQuery>;

/** Newest first. */
export const HistoryWindow = z
  .object({
    messages: z.array(Message),
    /** Whether the scope has older messages than these. */
    hasOlder: z.boolean(),
    /** Whether the scope has newer messages than these. */
    hasNewer: z.boolean(),
  })
  .meta({ id: 'HistoryWindow' });
export type HistoryWindow = z.infer<typeof HistoryWindow>;
