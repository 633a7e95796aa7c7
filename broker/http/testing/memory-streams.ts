/** Live streams whose connections are in memory. */
import { expect, onTestFinished } from 'vitest';
import type { Entry, OpenStream } from '../live-stream.ts';
import { createLiveStreams, type LiveStreams } from '../live-streams.ts';
import { type StreamSink, sseFrame } from '../sse.ts';

/** Resolves in the next turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Long enough for everything that is already resolved to be acted on. */
export const settle = async (): Promise<void> => {
  for (let n = 0; n < 3; n++) await turn();
};

/** A connection in memory. It reads everything at once, unless it is stalled: then everything is queued. */
export class MemorySink implements StreamSink {
  readonly isEncrypted = false;
  readonly chunks: Buffer[] = [];
  ended = false;
  isStalled = false;
  #waiting = 0;
  #onDrained: (() => void)[] = [];
  #onClose: (() => void)[] = [];

  write(chunk: Buffer): void {
    expect(this.ended).toBe(false);
    this.chunks.push(chunk);
    if (this.isStalled) this.#waiting += chunk.length;
  }
  get waitingBytes(): number {
    return this.#waiting;
  }
  drained(): Promise<void> {
    if (this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }
  end(): void {
    this.ended = true;
  }
  onClose(listener: () => void): void {
    this.#onClose.push(listener);
  }

  read(): void {
    this.isStalled = false;
    this.#waiting = 0;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
  /** The reader goes away. */
  close(): void {
    for (const listener of this.#onClose.splice(0)) listener();
    this.read();
  }

  /** Returns the received frames. @throws if a write was not one well-formed HTTP chunk of whole frames. */
  frames(): string[] {
    return this.chunks.flatMap((chunk) => {
      const lineEnd = chunk.indexOf('\r\n');
      const size = chunk.toString('latin1', 0, lineEnd);
      expect(size).toMatch(/^[1-9a-f][0-9a-f]*$/);
      const payload = chunk.subarray(lineEnd + 2, -2);
      expect(Number.parseInt(size, 16)).toBe(payload.length);
      expect(chunk.toString('latin1', chunk.length - 2)).toBe('\r\n');
      const text = payload.toString();
      expect(text.endsWith('\n\n')).toBe(true);
      return text.slice(0, -2).split('\n\n');
    });
  }
  /** Returns the positions of the received entries, in order. */
  positions(): number[] {
    return this.frames()
      .flatMap((frame) => /^id: (\d+)\n/.exec(frame)?.[1] ?? [])
      .map(Number);
  }
}

const padding = 'x'.repeat(400_000);
/** An entry of a few bytes, or of 400 kB. */
export const entryAt = (position: number, isLarge = false): Entry => ({
  position,
  frame: sseFrame('message', `{"p":${position}${isLarge ? `,"x":"${padding}"` : ''}}`, `${position}`),
});
/** The first frame of each stream. */
export const opening = sseFrame('ready', '{}');

/** A hub, which is closed when the test ends, and the errors that it reported. */
export function createHub(options: { position?: number } = {}) {
  const errors: unknown[] = [];
  const hub = createLiveStreams({
    position: 0,
    stopwatch: () => 0,
    ...options,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => hub.close());
  return { hub, errors };
}

/** Opens a live stream with an empty backlog, unless `over` says otherwise. Returns its connection. */
export function open(hub: LiveStreams, key: string, over: Partial<OpenStream> = {}): MemorySink {
  const sink = new MemorySink();
  const backlog = () => Promise.resolve([]);
  hub.open({ key, credentialId: `credential of ${key}`, sink, opening, after: null, backlog, ...over });
  return sink;
}
