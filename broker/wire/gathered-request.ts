/**
 * A request whose body costs about its own size while nobody reads it. Node hands over each chunk of a chunked
 * body by itself and stops the connection at 64 KiB of content: 65,536 chunks of one byte are 26 MB. This
 * class holds back chunks behind the one that nobody has read yet, and passes them on together.
 */
import type { IncomingMessage as Incoming } from 'node:http';
import type { Socket } from 'node:net';
import { Gathering } from '../runtime/gathering.ts';

// Not imported by name: that would evaluate all exports, `fetch` included, for 13 MiB (ADR 0013).
const { IncomingMessage } = process.getBuiltinModule('node:http');

const newest = Symbol('newest request');
/** A body is made of tiny chunks if so many in a row are this small on average. */
const chunksInARow = 256;
const tinyChunkBytes = 64;
type Carrier = Socket & { [newest]?: GatheredRequest };

/** The last request whose head has arrived on a connection. */
export const requestOn = (socket: Carrier): GatheredRequest | undefined => socket[newest];

export class GatheredRequest extends IncomingMessage implements Incoming {
  #held: Gathering | null = null;
  #received = 0;
  #chunks = 0;
  /** `#received` after the last full row of chunks. */
  #receivedBefore = 0;
  #isCounted = true;
  /** Called when the body turns out to be made of tiny chunks. */
  onTinyChunks: (() => void) | null = null;

  constructor(socket: Carrier) {
    super(socket);
    socket[newest] = this;
  }

  /** Bytes of a body with a declared length that have not arrived yet; 0 if that is not known. */
  get bytesToCome(): number {
    if (this.complete || !this.#isCounted) return 0;
    return Math.max(0, Number(this.headers['content-length'] ?? 0) - this.#received);
  }

  /** Node does not pass on a body that nobody will read, so what arrives of it is not known anymore. */
  stopCounting(): void {
    this.#isCounted = false;
  }

  /** Node's parser calls it with each chunk, and with null at the end; false stops the connection. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#passOn();
      return super.push(null);
    }
    this.#received += chunk.length;
    this.#chunks += 1;
    if (this.#chunks % chunksInARow === 0) this.#lookAtChunks();
    if (this.readableLength === 0) return super.push(chunk);
    this.#held ??= new Gathering();
    this.#held.add(chunk);
    return this.readableLength + this.#held.length < this.readableHighWaterMark;
  }

  #lookAtChunks(): void {
    const bytes = this.#received - this.#receivedBefore;
    this.#receivedBefore = this.#received;
    if (bytes < chunksInARow * tinyChunkBytes) this.onTinyChunks?.();
  }

  /** All readers come here for what is held, those that listen for `data` included. */
  override read(size?: number): unknown {
    this.#passOn();
    return super.read(size);
  }

  #passOn(): void {
    if (this.#held === null) return;
    for (const part of this.#held.take()) super.push(part);
    this.#held = null;
  }
}
