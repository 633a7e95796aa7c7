/**
 * Bytes that arrive in chunks, held at about their own size. A chunk by itself costs some 400 bytes beside its
 * content, so that a body in chunks of one byte would cost 400 times what its limit allows.
 */

/** A smaller chunk is copied next to others. */
const smallBytes = 1024;
const maxTailBytes = 16 * 1024;
const noTail = Buffer.alloc(0);

export class Gathering {
  /** Chunks as they came, and copies of small ones. */
  #parts: Buffer[] = [];
  /** Takes small chunks; not among the parts yet. */
  #tail = noTail;
  #tailUsed = 0;
  #length = 0;

  /** Bytes held. */
  get length(): number {
    return this.#length;
  }

  /** The chunk must not change afterwards: the first one and large ones are kept as they are. */
  add(chunk: Buffer): void {
    const isFirst = this.#length === 0;
    this.#length += chunk.length;
    if (isFirst || chunk.length >= smallBytes) {
      this.#closeTail();
      this.#parts.push(chunk);
      return;
    }
    if (this.#tail.length - this.#tailUsed < chunk.length) this.#openTail();
    this.#tail.set(chunk, this.#tailUsed);
    this.#tailUsed += chunk.length;
  }

  /** Returns what is held, in order, and holds nothing afterwards. */
  take(): Buffer[] {
    this.#closeTail();
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    return parts;
  }

  #openTail(): void {
    const bytes = Math.min(maxTailBytes, Math.max(smallBytes, 2 * this.#tail.length));
    this.#closeTail();
    this.#tail = Buffer.allocUnsafeSlow(bytes);
  }

  #closeTail(): void {
    if (this.#tailUsed > 0) this.#parts.push(this.#tail.subarray(0, this.#tailUsed));
    this.#tail = noTail;
    this.#tailUsed = 0;
  }
}
