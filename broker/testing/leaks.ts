/**
 * Promise 4: whatever a test did, no token is in the log or in a file of the broker. Every test broker is
 * searched when it stops.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const anyBearer = /svc_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/;

/** @throws Error that says where the first one was found. */
export async function refuseLeaks(folder: string, logged: string, bearers: Iterable<string>): Promise<void> {
  if (anyBearer.test(logged)) throw new Error('a bearer is in the log');
  const secrets = [...bearers].map((bearer) => Buffer.from(bearer));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    if (secrets.some((secret) => bytes.includes(secret))) throw new Error(`a bearer is in ${path}`);
  }
}
