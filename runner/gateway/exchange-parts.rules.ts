/** The parts that every parser of a wire format returns (specification/activity.md#events). */
import type { LlmExchangeEntry } from '#protocol/activity.ts';
import { type Json, recordOf, textOf } from './loose-json.rules.ts';

export type ExchangeKind = LlmExchangeEntry['kind'];
export type ModelRequest = LlmExchangeEntry['request'];
export type ModelMessage = ModelRequest['messages'][number];
export type ModelResponse = NonNullable<LlmExchangeEntry['response']>;
export type Usage = NonNullable<ModelResponse['usage']>;

export interface ReadRequest {
  model: string | null;
  request: ModelRequest;
}

export interface ReadResponse {
  model: string | null;
  response: ModelResponse;
  /** The stream reached its end. */
  isWhole: boolean;
}

export interface WireFormat {
  /** `body` is the JSON that was posted, or whatever came instead. */
  readRequest(body: unknown): ReadRequest;
  /** The data of each event of the stream, in order. Null if there was nothing of a response in it. */
  readStream(events: Iterable<Json>): ReadResponse | null;
  /** The reply to a request that did not ask for a stream. Null if it is none. */
  readReply(body: Json): ReadResponse | null;
}

/** Returns what a model service says instead of an answer: `{type, message}` under `error`. */
export function errorOf(body: Json): Json | null {
  const { error } = body;
  if (typeof error === 'string') return { type: null, message: error };
  const { type, code, message } = recordOf(error);
  if (type === undefined && message === undefined && code === undefined) return null;
  return { type: textOf(type) ?? textOf(code), message: textOf(message) };
}
