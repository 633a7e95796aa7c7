/** Baseline: copies a file, hashes its bytes with SHA-256, and syncs at the end. Prints bytes per second. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const [from = '', to = ''] = process.argv.slice(2);
const source = await open(from);
const target = await open(to, 'w');
const hash = createHash('sha256');
const buffer = Buffer.alloc(256 * 1024);
const start = performance.now();
let size = 0;
for (;;) {
  const { bytesRead } = await source.read(buffer);
  if (bytesRead === 0) break;
  const bytes = buffer.subarray(0, bytesRead);
  hash.update(bytes);
  await target.write(bytes);
  size += bytesRead;
}
hash.digest();
await target.sync();
console.log((size * 1000) / (performance.now() - start));
process.exit(0);
