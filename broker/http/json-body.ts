/**
 * Reads a JSON body within the route's limit. Above the limit, the answer is 413 at once and the rest is
 * discarded unread, so that the connection stays usable; a body that does not arrive in time is 400
 * (specification/api.md#body-limits).
 */
import type { FastifyRequest } from 'fastify';
import { refusal } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { Gathering } from '../runtime/gathering.ts';

type Parse = (text: string) => unknown;
type Done = (error: Error | null, body?: unknown) => void;

/** Most bodies arrive in one part, which is not copied. */
const joined = (parts: readonly Buffer[]): Buffer | undefined =>
  parts.length === 1 ? parts[0] : Buffer.concat(parts);

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function createJsonBodyReader(parse: Parse) {
  return (request: FastifyRequest, payload: NodeJS.ReadableStream, done: Done): void => {
    const cap = request.routeOptions.bodyLimit ?? limits.body.json;
    const gathering = new Gathering();
    const deadline = setTimeout(() => fail(refusal('body_too_slow')), limits.bodyReadMs);

    function stop(): void {
      clearTimeout(deadline);
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
      stop();
      if (gathering.length === 0) {
        done(null, undefined);
        return;
      }
      let body: unknown;
      try {
        body = parse(utf8.decode(joined(gathering.take())));
      } catch {
        done(refusal('invalid_json'));
        return;
      }
      done(null, body);
    }

    if (Number(request.headers['content-length'] ?? 0) > cap) {
      fail(refusal('body_too_large', { max: cap }));
      return;
    }
    payload.on('data', onData).on('end', onEnd).on('error', onError);
  };
}
