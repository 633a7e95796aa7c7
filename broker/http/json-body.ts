/**
 * Reads a JSON body within the route's limit. Above the limit, the answer is 413 at once and the rest is
 * discarded unread, so that the connection stays usable; a body that does not arrive in time is 400
 * (specification/api.md#body-limits). Large bodies of one member are read a few at a time, and a body is parsed
 * only when its request has its turn, because the value may need many times the memory of the text.
 */
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { refusal, refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { ByteBudget } from '../runtime/byte-budget.ts';
import { Gathering } from '../runtime/gathering.ts';
import { jsonBounds } from '../runtime/json-bounds.rules.ts';
import { declaredBytes } from './read-bytes.ts';
import { whenOver } from './reply-over.ts';

type Parse = (text: string) => unknown;
type Done = (error: Error | null, body?: JsonBody) => void;

const { small, containers } = limits.body;

/** Most bodies arrive in one part, which is not copied. */
const joined = (parts: readonly Buffer[]): Buffer =>
  parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body that has arrived. */
export class JsonBody {
  readonly #bytes: Buffer;
  readonly #parse: Parse;
  constructor(bytes: Buffer, parse: Parse) {
    this.#bytes = bytes;
    this.#parse = parse;
  }

  /** Returns the value. @throws BrokerError bad_request for what is not JSON, or has very many objects and lists. */
  value(): unknown {
    if (this.#bytes.length > small && jsonBounds(this.#bytes).containers > containers)
      refuse('too_many_json_values', { max: containers });
    try {
      return this.#parse(utf8.decode(this.#bytes));
    } catch {
      return refuse('invalid_json');
    }
  }
}

/**
 * Makes a large body wait, unread, until it fits into the memory for bodies of its member whose requests are
 * not answered yet.
 */
export function holdLargeBodies(budget: ByteBudget): preParsingHookHandler {
  return (request, reply, payload, done) => {
    const { actor } = request;
    const cap = request.routeOptions.bodyLimit ?? limits.body.json;
    const bytes = declaredBytes(request.raw) ?? cap;
    // A body without a length may be small, but its sender can avoid the wait by declaring it.
    if (actor === null || bytes <= small || bytes > cap || !hasBody(request)) {
      done(null, payload);
      return;
    }
    budget.reserve(actor.name, bytes).then((release) => {
      whenOver(reply.raw, release);
      done(null, payload);
    }, done);
  };
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;

/** The time between two looks at the bodies that are being read. */
const lookMs = 1000;

/** One timer for all bodies, because most of them have arrived before a timer of their own would have begun. */
function createDeadlines() {
  const endByBody = new Map<() => void, number>();
  let looking: NodeJS.Timeout | undefined;
  function look(): void {
    const now = performance.now();
    for (const [onLate, end] of endByBody) if (end <= now) onLate();
    if (endByBody.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }
  return {
    add(onLate: () => void, ms: number): void {
      endByBody.set(onLate, performance.now() + ms);
      looking ??= setInterval(look, Math.min(ms, lookMs)).unref();
    },
    delete: (onLate: () => void) => void endByBody.delete(onLate),
  };
}

export function createJsonBodyReader(parse: Parse) {
  const deadlines = createDeadlines();
  return (request: FastifyRequest, payload: NodeJS.ReadableStream, done: Done): void => {
    const cap = request.routeOptions.bodyLimit ?? limits.body.json;
    const gathering = new Gathering();
    const onLate = () => fail(refusal('body_too_slow'));

    function stop(): void {
      deadlines.delete(onLate);
      payload.off('data', onData).off('end', onEnd).off('error', onError);
    }
    function fail(error: Error): void {
      stop();
      payload.on('error', () => undefined);
      payload.resume();
      done(error);
    }
    function onData(chunk: Buffer): void {
      if (gathering.length + chunk.length > cap) fail(refusal('body_too_large', { max: cap }));
      else gathering.add(chunk);
    }
    function onError(): void {
      fail(refusal('body_interrupted'));
    }
    function onEnd(): void {
      deadlines.delete(onLate);
      done(null, gathering.length === 0 ? undefined : new JsonBody(joined(gathering.take()), parse));
    }

    if (Number(request.headers['content-length'] ?? 0) > cap) {
      fail(refusal('body_too_large', { max: cap }));
      return;
    }
    if (request.raw.destroyed) {
      onError();
      return;
    }
    deadlines.add(onLate, limits.bodyReadMs);
    payload.on('data', onData).on('end', onEnd).on('error', onError);
  };
}
