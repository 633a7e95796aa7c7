/**
 * A whole exchange with a model as one activity event. Streams are assembled first and then masked,
 * because a secret in pieces is still a secret (specification/activity.md#events).
 */
import { createParser } from 'eventsource-parser';
import { type ActivityEvent, LlmExchangeEntry } from '#protocol/activity.ts';
import { formatByKind } from './exchange-kind.rules.ts';
import { type ExchangeKind, errorOf, type ReadResponse, type WireFormat } from './exchange-parts.rules.ts';
import { isRecord, type Json, parsed } from './loose-json.rules.ts';
import { maskJson } from './masking.rules.ts';
import { previewOf } from './preview.rules.ts';
import { createRepeatedMasking } from './repeated-masking.ts';

export interface SeenExchange {
  kind: ExchangeKind;
  provider: string;
  startedAt: number;
  endedAt: number;
  /** Null if no answer came. */
  httpStatus: number | null;
  contentType: string | null;
  /** As JSON; undefined if it is none. */
  request: unknown;
  responseText: string;
  /** More was sent than was kept. */
  isCut: boolean;
  /** Why no answer came, or not all of it. */
  failure: string | null;
}

export type ExchangeEvent = Extract<ActivityEvent, { kind: 'llm_exchange' }>;

const pieceCharacters = 64 * 1024;

/** Yields one event after the other, because together they take many times the memory of their text. */
function* eventsOf(text: string, onBroken: () => void): Generator<Json> {
  let events: Json[] = [];
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return;
      const value = parsed(data);
      if (isRecord(value)) events.push(value);
      else onBroken();
    },
  });
  for (let at = 0; at < text.length; at += pieceCharacters) {
    parser.feed(text.slice(at, at + pieceCharacters));
    yield* events;
    events = [];
  }
  // Some servers leave out the empty line after their last event.
  parser.feed('\n\n');
  yield* events;
}

function readResponse(format: WireFormat, seen: SeenExchange): ReadResponse | null {
  const { responseText, contentType, httpStatus } = seen;
  if (httpStatus === null) return null;
  if (contentType?.toLowerCase().startsWith('text/event-stream') || /^(?:event|data):/.test(responseText)) {
    let areWhole = true;
    const read = format.readStream(
      eventsOf(responseText, () => {
        areWhole = false;
      }),
    );
    return read === null ? null : { ...read, isWhole: read.isWhole && areWhole };
  }
  const body = parsed(responseText);
  const read = isRecord(body) ? format.readReply(body) : null;
  if (read !== null || httpStatus < 400) return read;
  // A proxy between here and the model answered in its own words.
  const error = (isRecord(body) ? errorOf(body) : null) ?? { type: null, message: previewOf(responseText) };
  return {
    model: null,
    isWhole: true,
    response: { messages: [], stopReason: null, status: null, usage: null, error },
  };
}

const mask = createRepeatedMasking();

/**
 * Besides the specified fields, the entry has `httpStatus`, and if they apply `isCut` (more was sent than was
 * kept), `isBroken` (the answer did not reach its end), and `failure` (one sentence). `response.status` is
 * the wire format's own word, or else the HTTP status.
 */
export function readExchange(seen: SeenExchange): ExchangeEvent {
  const format = formatByKind[seen.kind];
  const asked = format.readRequest(seen.request);
  const read = readResponse(format, seen);
  const entry = {
    kind: seen.kind,
    provider: seen.provider,
    model: asked.model ?? read?.model ?? null,
    startedAt: seen.startedAt,
    endedAt: seen.endedAt,
    request: asked.request,
    response: read && { ...read.response, status: read.response.status ?? seen.httpStatus },
    httpStatus: seen.httpStatus,
    ...(seen.isCut && { isCut: true }),
    ...(!read?.isWhole && { isBroken: true }),
    ...(seen.failure !== null && { failure: seen.failure }),
  };
  return {
    kind: 'llm_exchange',
    ts: seen.startedAt,
    duration: Math.max(0, seen.endedAt - seen.startedAt),
    entry: LlmExchangeEntry.parse(maskJson(entry, mask)),
  };
}
