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

/**
 * `partial`: the answer began, and nothing says why its end was not seen. `broken`: the answer began, and the model or
 * the connection failed.
 */
export type ModelReply =
  | { kind: 'complete' | 'partial' }
  | { kind: 'broken' | 'refused'; refused: RefusedAnswer };

export interface RepliedExchange {
  entry: LlmExchangeEntry;
  headers: RefusedAnswer['headers'];
  responseText: string;
  /** The agent closed the request before the connection to the model was at its end. */
  isAbandoned: boolean;
}

/** Null if the exchange shows neither. */
export function replyOf({ entry, headers, responseText, isAbandoned }: RepliedExchange): ModelReply | null {
  const { response } = entry;
  const status = numberOf(entry.httpStatus);
  const isFine = status !== null && status >= 200 && status < 300;
  const hasBegun = isFine && (response?.messages.some(({ content }) => content.length > 0) ?? false);
  const error = recordOf(response?.error);
  const hasError = response?.error !== undefined;
  // An agent that leaves fails nothing: it often does so as soon as it has read the end, or the error.
  const hasFailed = hasError || (entry.failure !== undefined && !isAbandoned);
  // A copy that was cut may not show the end.
  const isWhole = entry.isBroken !== true || (hasBegun && entry.isCut === true && !isAbandoned);
  if (isFine && response !== null && !hasFailed && isWhole) return { kind: 'complete' };
  if (hasBegun && !hasFailed) return { kind: 'partial' };
  if (!hasError && (isAbandoned || (isFine && entry.isCut === true))) return null;
  const { resets_at, resets_in_seconds } = recordOf(recordOf(parsed(responseText)).error);
  return {
    kind: hasBegun ? 'broken' : 'refused',
    refused: {
      status: isFine && !hasError ? null : status,
      headers,
      type: textOf(error.type),
      message: textOf(error.message) ?? textOf(entry.failure),
      resetsAt: numberOf(resets_at),
      resetsInSeconds: numberOf(resets_in_seconds),
    },
  };
}
