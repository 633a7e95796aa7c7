/** Whether a model answered, as far as an exchange shows it. Pure. */
import type { LlmExchangeEntry } from '#protocol/activity.ts';
import { numberOf, parsed, recordOf, textOf } from './loose-json.rules.ts';

/** How a model's service answered without answering; texts are masked. */
export interface RefusedAnswer {
  /** The HTTP status, 200 for a stream that consists of an error; null if no answer came. */
  status: number | null;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[]>>;
  /** The service's own word for the error, such as `rate_limit_error`. */
  type: string | null;
  message: string | null;
  /** When the limit ends, in seconds since 1970 and from now, as the body says (`usage_limit_reached`). */
  resetsAt: number | null;
  resetsInSeconds: number | null;
}

export type ModelReply =
  | { isAnswered: true }
  /** It counts as answered once there is anything of the model in it. */
  | { isAnswered: false; refused: RefusedAnswer };

export interface RepliedExchange {
  entry: LlmExchangeEntry;
  headers: RefusedAnswer['headers'];
  responseText: string;
  /** The agent gave the request up itself. */
  isAbandoned: boolean;
}

/** Null if the exchange shows neither. */
export function replyOf({ entry, headers, responseText, isAbandoned }: RepliedExchange): ModelReply | null {
  const { response } = entry;
  const status = numberOf(entry.httpStatus);
  const isFine = status !== null && status >= 200 && status < 300;
  const hasContent = response?.messages.some(({ content }) => content.length > 0) ?? false;
  const error = recordOf(response?.error);
  const isEmptyAnswer = response !== null && response.error === undefined && entry.isBroken !== true;
  if (isFine && (hasContent || isEmptyAnswer)) return { isAnswered: true };
  if (isAbandoned || (isFine && entry.isCut === true)) return null;
  const { resets_at, resets_in_seconds } = recordOf(recordOf(parsed(responseText)).error);
  return {
    isAnswered: false,
    refused: {
      status: isFine && response?.error === undefined ? null : status,
      headers,
      type: textOf(error.type),
      message: textOf(error.message) ?? textOf(entry.failure),
      resetsAt: numberOf(resets_at),
      resetsInSeconds: numberOf(resets_in_seconds),
    },
  };
}
