/**
 * Reads a request's body as bytes that can be handed to another thread, within a size and a time. It does not
 * look at them.
 */
import type { IncomingMessage } from 'node:http';
import { refusal } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { Gathering } from '../runtime/gathering.ts';
import { giveBack } from '../runtime/give-back.ts';

/** Returns the number of bytes that the sender declares; null if it does not. */
export function declaredBytes(source: IncomingMessage): number | null {
  const declared = source.headers['content-length'];
  return declared === undefined ? null : Number(declared);
}

/**
 * Returns the whole body. If it is refused, the rest is discarded unread, so that the connection stays usable
 * (specification/api.md#body-limits).
 * @throws BrokerError payload_too_large; bad_request if it is interrupted or does not arrive in time.
 */
export function readBytes(
  source: IncomingMessage,
  maxBytes: number,
  timeoutMs: number = limits.bodyReadMs,
): Promise<ArrayBuffer> {
  const declared = declaredBytes(source);
  const tooLarge = () => refusal('body_too_large', { max: maxBytes });
  if (declared !== null && declared > maxBytes) {
    source.on('error', () => undefined);
    source.resume();
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const whole = declared === null ? null : new Uint8Array(declared);
    const gathering = new Gathering();
    let size = 0;
    const deadline = setTimeout(() => fail(refusal('body_too_slow')), timeoutMs);
    function stop(): void {
      clearTimeout(deadline);
      source.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    }
    function fail(error: Error): void {
      stop();
      gathering.take();
      source.on('error', () => undefined);
      source.resume();
      reject(error);
    }
    function onData(chunk: Buffer): void {
      if (size + chunk.length > (declared ?? maxBytes)) {
        fail(tooLarge());
        return;
      }
      const place = size;
      size += chunk.length;
      if (whole === null) {
        gathering.add(chunk);
        return;
      }
      whole.set(chunk, place);
      giveBack(chunk);
    }
    function onEnd(): void {
      stop();
      resolve(whole === null ? joined(gathering.take(), size) : whole.buffer);
    }
    function onBroken(): void {
      fail(refusal('body_interrupted'));
    }
    if (source.destroyed) {
      onBroken();
      return;
    }
    source.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** Copies into memory of its own, because what Node read into may be shared. */
function joined(chunks: readonly Buffer[], size: number): ArrayBuffer {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole.buffer;
}
