/**
 * Activity: what a member did, as events that it uploads or the broker writes
 * (specification/activity.md#events).
 */
import { z } from 'zod';
import { ObjectiveId, queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { activityKinds } from './vocabulary.ts';

export const ActivityKind = z.enum(activityKinds).meta({ id: 'ActivityKind' });
export type ActivityKind = z.infer<typeof ActivityKind>;

/**
 * A list whose check stops at the first item that does not fit, because one issue for each of a hostile
 * million would be kept in memory. Items that fit are passed through as received.
 */
function listOf<Item extends z.ZodType>(item: Item) {
  const { $schema: _, ...items } = z.toJSONSchema(item, { unrepresentable: 'any', io: 'input' });
  return z
    .custom<z.output<Item>[]>((value) => Array.isArray(value), 'must be a list')
    .superRefine((values, context) => {
      for (const [index, value] of values.entries()) {
        const { error } = item.safeParse(value);
        if (error === undefined) continue;
        for (const { path, message } of error.issues)
          context.addIssue({ code: 'custom', message, path: [index, ...path] });
        return;
      }
    })
    .meta({ type: 'array', items });
}

const Json = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object' });

const TokenCount = z.int().nonnegative().nullable();

export const ContentBlock = z.looseObject({
  type: z.enum(['text', 'tool_use', 'tool_result', 'image', 'thinking', 'unknown']),
});
export type ContentBlock = z.infer<typeof ContentBlock>;

const ModelMessage = z.looseObject({ role: z.string(), content: listOf(ContentBlock) });

/** One exchange with a model, in terms that all three wire formats share. */
export const LlmExchangeEntry = z
  .looseObject({
    kind: z.enum(['anthropic_messages', 'openai_responses', 'openai_chat']),
    provider: z.string(),
    model: z.string().nullable(),
    startedAt: Timestamp,
    endedAt: Timestamp,
    request: z.looseObject({
      system: z.string().nullable(),
      messages: listOf(ModelMessage),
      tools: listOf(Json).nullable(),
      maxTokens: z.number().nullable(),
      temperature: z.number().nullable(),
    }),
    response: z
      .looseObject({
        messages: listOf(ModelMessage),
        stopReason: z.string().nullable(),
        status: z.union([z.string(), z.number()]).nullable(),
        usage: z
          .looseObject({
            inputTokens: TokenCount,
            outputTokens: TokenCount,
            cacheReadInputTokens: TokenCount,
            cacheCreationInputTokens: TokenCount,
          })
          .nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'LlmExchangeEntry' });
export type LlmExchangeEntry = z.infer<typeof LlmExchangeEntry>;

/** A request that is not an exchange with a model, as far as the gateway saw it. */
export const OpaqueHttpEntry = z
  .looseObject({
    kind: z.literal('opaque_http'),
    startedAt: Timestamp,
    endedAt: Timestamp,
    host: z.string(),
    method: z.string(),
    url: z.string(),
    status: z.int().nullable(),
    requestHeaders: Json,
    responseHeaders: Json,
    requestBodyPreview: z.string().nullable(),
    responseBodyPreview: z.string().nullable(),
  })
  .meta({ id: 'OpaqueHttpEntry' });
export type OpaqueHttpEntry = z.infer<typeof OpaqueHttpEntry>;

const duration = z.number().nonnegative().meta({ description: 'milliseconds' });

/**
 * `ts` is when it happened, by the clock of its author. Keys of an entry that are not named here are kept;
 * those of an event are not.
 */
export const ActivityEvent = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('objective_open'), ts: Timestamp, objectiveId: ObjectiveId }),
    z.object({
      kind: z.literal('objective_close'),
      ts: Timestamp,
      objectiveId: ObjectiveId,
      result: z.enum(['done', 'cancelled', 'reassigned', 'runner_shutdown']),
    }),
    z.object({ kind: z.literal('llm_exchange'), ts: Timestamp, duration, entry: LlmExchangeEntry }),
    z.object({ kind: z.literal('opaque_http'), ts: Timestamp, duration, entry: OpaqueHttpEntry }),
  ])
  .meta({ id: 'ActivityEvent' });
export type ActivityEvent = z.infer<typeof ActivityEvent>;

/** The stored form. `id` increases in the order of storing, across all members. */
export const ActivityRow = z
  .object({
    id: z.int().positive(),
    memberName: z.string(),
    createdAt: Timestamp,
    event: ActivityEvent,
  })
  .meta({ id: 'ActivityRow' });
export type ActivityRow = z.infer<typeof ActivityRow>;

const { activity } = limits;

export const ActivityUpload = z
  .object({ events: z.array(ActivityEvent).min(1).max(activity.batch) })
  .meta({ id: 'ActivityUpload' });
export type ActivityUpload = z.infer<typeof ActivityUpload>;

/**
 * An upload before its events are checked: they are checked one by one, so that a large invalid one is
 * refused early.
 */
export const ActivityEnvelope = z.object({ events: z.array(z.unknown()).min(1).max(activity.batch) });
/** The entry of an event as received. */
export const EventEntry = z.object({ entry: z.unknown().optional() });

export const ActivityAccepted = z.object({ accepted: z.int().positive() }).meta({ id: 'ActivityAccepted' });
export type ActivityAccepted = z.infer<typeof ActivityAccepted>;

/**
 * `from` and `to` are inclusive, by `ts`; `kind` may repeat. `objective` narrows to what happened between the
 * member's open and close of it; at most the newest 1000 such spans within the range are searched.
 */
export const ActivityQuery = z.object({
  from: queryInteger(0, Number.MAX_SAFE_INTEGER).default(0),
  to: queryInteger(0, Number.MAX_SAFE_INTEGER).default(Number.MAX_SAFE_INTEGER),
  kind: z
    .union([ActivityKind, z.array(ActivityKind).max(16)])
    .transform((kind) => [...new Set([kind].flat())])
    .optional(),
  limit: queryInteger(1, activity.rangeMax).default(activity.rangeDefault),
  objective: ObjectiveId.optional(),
});
export type ActivityQuery = z.infer<typeof ActivityQuery>;

/** Newest first by (ts, id). */
export const ActivityRange = z.object({ activity: z.array(ActivityRow) }).meta({ id: 'ActivityRange' });
export type ActivityRange = z.infer<typeof ActivityRange>;

/** All days in UTC that `from` to `to` touches; by default, the last 30 until now (ADR 0010). */
export const ActivityUsageQuery = z.object({
  from: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
  to: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
  member: z.string().optional(),
});
export type ActivityUsageQuery = z.infer<typeof ActivityUsageQuery>;

const TokenSum = z.int().nonnegative();

/** The token usage of one member's exchanges of one day and model; a count that the model did not report is 0. */
export const DayUsage = z
  .object({
    member: z.string(),
    day: Timestamp.meta({ description: 'start of the day in UTC, epoch milliseconds' }),
    model: z
      .string()
      .nullable()
      .meta({
        description: `its first ${activity.usage.modelCharacters} characters; null: not said, or one of more than ${activity.usage.models} models of that day`,
      }),
    exchanges: z.int().positive(),
    inputTokens: TokenSum,
    outputTokens: TokenSum,
    cacheReadInputTokens: TokenSum,
    cacheCreationInputTokens: TokenSum,
  })
  .meta({ id: 'DayUsage' });
export type DayUsage = z.infer<typeof DayUsage>;

/** Oldest day first, then by member and model. */
export const ActivityUsage = z.object({ usage: z.array(DayUsage) }).meta({ id: 'ActivityUsage' });
export type ActivityUsage = z.infer<typeof ActivityUsage>;

export const ActivityStreamQuery = z.object({ lastEventId: z.string().max(256).optional() });
/**
 * A cursor of an activity stream: the id of the last seen row, 0 before the first
 * (specification/streams.md#activity-streams).
 */
export const ActivityCursor = z.string().regex(/^(?:0|[1-9]\d{0,14})$/);
