/**
 * Returns a chunk's memory at once; its bytes are gone. Left to the collector, tens of megabytes pile up, and
 * uploads of ten megabytes a second make it stop the thread that serves chat for up to 17 ms several times a
 * second (docs/benchmarks.md).
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  // Otherwise it is a part of a buffer that others use.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
