/** Activity in short: what lists show of a row, without its bodies (specification/activity.md#summaries). */
import { z } from 'zod';
import { ActivityKind, ContentBlock } from './activity.ts';
import { ObjectiveId, queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';

const { activity } = limits;

const Tokens = z.object({
  inputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
  cacheReadInputTokens: z.int().nullable(),
  cacheCreationInputTokens: z.int().nullable(),
});

/**
 * `text`: the beginning of what the model said. `calls`: the tools that it called; the same tool with the same input has the same
 * `key`. `results`: what tools answered to the calls before, as the request carried it; the same answer has the same `key`.
 */
const ExchangeSummary = z.object({
  model: z.string().nullable(),
  stopReason: z.string().nullable(),
  status: z.union([z.string(), z.number()]).nullable(),
  text: z.string(),
  calls: z.array(z.object({ name: z.string(), key: z.string() })),
  results: z.array(z.object({ key: z.string(), isError: z.boolean() })),
  usage: Tokens.nullable(),
});

/** `isFailed`: no answer came, or an answer that is an error. `duration` is in ms. */
export const ActivitySummary = z
  .object({
    id: z.int().positive(),
    memberName: z.string(),
    createdAt: Timestamp,
    ts: Timestamp,
    kind: ActivityKind,
    isFailed: z.boolean(),
    duration: z.number().optional(),
    /** Of `objective_open` and `objective_close`. */
    objectiveId: z.string().optional(),
    result: z.string().optional(),
    /** Of `opaque_http`. */
    request: z.object({ method: z.string(), host: z.string(), status: z.int().nullable() }).optional(),
    /** Of `llm_exchange`. */
    exchange: ExchangeSummary.optional(),
  })
  .meta({ id: 'ActivitySummary' });
export type ActivitySummary = z.infer<typeof ActivitySummary>;

export const ActivitySummaries = z
  .object({ activity: z.array(ActivitySummary) })
  .meta({ id: 'ActivitySummaries' });
export type ActivitySummaries = z.infer<typeof ActivitySummaries>;

/** Newest first by id, only those before the id `before`. */
export const TeamActivityQuery = z.object({
  member: z.string().optional(),
  kind: z
    .union([ActivityKind, z.array(ActivityKind).max(16)])
    .transform((kind) => [...new Set([kind].flat())])
    .optional(),
  failed: z.literal('true').optional(),
  before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
  limit: queryInteger(1, activity.summariesMax).default(activity.summariesDefault),
});
export type TeamActivityQuery = z.infer<typeof TeamActivityQuery>;

/** As ActivityQuery, with at most as many rows as a page of summaries may have. */
export const MemberSummariesQuery = z.object({
  from: queryInteger(0, Number.MAX_SAFE_INTEGER).default(0),
  to: queryInteger(0, Number.MAX_SAFE_INTEGER).default(Number.MAX_SAFE_INTEGER),
  kind: TeamActivityQuery.shape.kind,
  objective: ObjectiveId.optional(),
  limit: TeamActivityQuery.shape.limit,
});
export type MemberSummariesQuery = z.infer<typeof MemberSummariesQuery>;

export const SummaryStreamQuery = z.object({
  member: z.string().optional(),
  lastEventId: z.string().max(256).optional(),
});

export const ActivityRowParams = z.object({
  name: z.string(),
  id: queryInteger(1, Number.MAX_SAFE_INTEGER),
});

/**
 * The part that an exchange added to the conversation of the agent with its model. `got`: the blocks of the last message of the request, such as
 * results of tools. `said`: the blocks of the response. `isCut`: a text is longer, or there are more blocks.
 */
export const ActivityTurn = z
  .object({
    id: z.int().positive(),
    ts: Timestamp,
    duration: z.number(),
    model: z.string().nullable(),
    isFailed: z.boolean(),
    isCut: z.boolean(),
    got: z.array(ContentBlock),
    said: z.array(ContentBlock),
  })
  .meta({ id: 'ActivityTurn' });
export type ActivityTurn = z.infer<typeof ActivityTurn>;

/** `next`: the value of `before` for the page that follows; null if there is none. */
export const ActivityTranscript = z
  .object({ turns: z.array(ActivityTurn), next: z.int().positive().nullable() })
  .meta({ id: 'ActivityTranscript' });
export type ActivityTranscript = z.infer<typeof ActivityTranscript>;

/** Newest first by id, only those before the id `before`. */
export const TranscriptQuery = z.object({
  before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
  limit: queryInteger(1, activity.transcript.max).default(activity.transcript.default),
});
export type TranscriptQuery = z.infer<typeof TranscriptQuery>;
