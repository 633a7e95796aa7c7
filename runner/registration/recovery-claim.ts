/**
 * One recovery at a time in a folder: of several starts that find the same interrupted run, each checks again
 * once it has the claim.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { codeOf } from '#platform/error-text.ts';
import { isAlive, ownIdentity } from '#platform/process-identity.ts';
import { AgentError } from '../agents/agent.ts';

const Owner = z.object({ pid: z.int(), startedAt: z.string().nullable() });
/** Longer than it takes to write one. */
const makingMs = 5000;
const maxTries = 1000;

/** Null if it has gone in the meantime. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unusable(path, error);
  }
}

const unusable = (path: string, error: unknown): AgentError =>
  new AgentError(
    `"${path}" cannot be used (${codeOf(error) ?? 'unknown cause'}). Delete it, and start again.`,
  );

function isHeld(path: string, text: string): boolean {
  try {
    return isAlive(Owner.parse(JSON.parse(text)));
  } catch {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && Date.now() - found.mtimeMs < makingMs;
  }
}

/** Left by a process that was killed. A fresh one that is caught by mistake is put back. */
function removeDead(path: string, text: string): void {
  const aside = `${path}-${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (textOf(aside) !== text) linkSync(aside, path);
  } catch {
    // Another process was faster.
  }
  rmSync(aside, { force: true });
}

/**
 * Does `work` while no other start does. @throws AgentError if another one is doing it, or what `work`
 * throws.
 */
export function withRecoveryClaim<Result>(path: string, work: () => Result): Result {
  for (let tries = 0; ; tries += 1) {
    try {
      writeFileSync(path, JSON.stringify(ownIdentity()), { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      // A dangling link exists and must not be read: no start creates one.
      if (codeOf(error) !== 'EEXIST' || tries > maxTries) throw unusable(path, error);
    }
    const text = textOf(path);
    if (text === null) continue;
    if (isHeld(path, text))
      throw new AgentError(`another run is starting in this folder ("${path}"). Try again in a few seconds.`);
    removeDead(path, text);
  }
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}
