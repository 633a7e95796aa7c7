/**
 * Reads a JSON body within the route's limit. Above the limit, the answer is 413 at once and the rest is
 * discarded unread, so that the connection stays usable; a body that does not arrive in time is 400
 * (specification/api.md#body-limits).
 */
import type { FastifyRequest } from 'fastify';
import { refusal } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';

type Parse = (text: string) => unknown;
type Done = (error: Error | null, body?: unknown) => void;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function createJsonBodyReader(parse: Parse) {
  return (request: FastifyRequest, payload: NodeJS.ReadableStream, done: Done): void => {
    const cap = request.routeOptions.bodyLimit ?? limits.body.json;
    const chunks: Buffer[] = [];
    let size = 0;
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
      size += chunk.length;
      if (size > cap) fail(refusal('body_too_large', { max: cap }));
      else chunks.push(chunk);
    }
    function onError(): void {
      fail(refusal('body_interrupted'));
    }
    function onEnd(): void {
      stop();
      if (size === 0) {
        done(null, undefined);
        return;
      }
      let body: unknown;
      try {
        body = parse(utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
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
