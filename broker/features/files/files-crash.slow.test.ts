import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bucketName, startStrictS3 } from '../../storage/blobs/testing/strict-s3.ts';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

const childPath = fileURLToPath(new URL('./testing/files-child.ts', import.meta.url));
/** FILES_CRASH_ROUNDS is 4 by default. */
const rounds = Number(process.env.FILES_CRASH_ROUNDS ?? 4);

interface Known {
  /** The hash that was acknowledged last; null if nothing is there. */
  hash: string | null;
  /** The hash after the step in progress at the kill, if it was completed; undefined if there was none. */
  cutOff: string | null | undefined;
}

async function killedRound(team: FileTeam, files: Map<string, Known>, round: number): Promise<number> {
  const args = [childPath, team.configPath, join(team.folder, 'main.db'), team.token('ben'), String(round)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const killAt = 20 + Math.floor(Math.random() * 80);
  let lines = 0;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { begin, done = [] } = JSON.parse(line);
      for (const { path, hash } of begin ?? done) {
        const known = files.get(path) ?? { hash: null, cutOff: undefined };
        files.set(path, begin === undefined ? { hash, cutOff: undefined } : { ...known, cutOff: hash });
      }
      lines += 1;
      // At a random moment within a step, not only between two.
      if (lines === killAt) setTimeout(() => child.kill('SIGKILL'), Math.random() * 8);
    }
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
  return lines;
}

interface Kept {
  root: string;
  contents: (team: FileTeam) => Promise<string[]>;
  incoming: (team: FileTeam) => Promise<string[]>;
}

async function inBucket(): Promise<Kept> {
  const s3 = await startStrictS3();
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await s3.stop();
  });
  return {
    root: `s3://${bucketName}`,
    contents: async () =>
      (await s3.keys()).filter((key) => /^..\/[0-9a-f]{64}$/.test(key)).map((key) => key.slice(3)),
    incoming: (team) => readdir(`${team.configPath}.incoming`),
  };
}

const inFolder = async (): Promise<Kept> => ({
  root: 'files',
  contents: (team) => team.blobs(),
  incoming: (team) => team.incoming(),
});

it.each([
  { place: 'folder', keptIn: inFolder },
  { place: 'bucket', keptIn: inBucket },
])(
  'keeps every acknowledged file in a $place complete after kill -9, every entry with its bytes, and no bytes without an entry',
  {
    timeout: 120_000 + rounds * 60_000,
  },
  async ({ keptIn }) => {
    const { root, contents, incoming } = await keptIn();
    const team = await startFileTeam({ root, onDisk: true, members: { ada: ['admin'], ben: [] } });
    onTestFinished(() => team.stop());
    await team.broker.close();
    const files = new Map<string, Known>();
    for (let round = 0; round < rounds; round++) {
      expect(await killedRound(team, files, round)).toBeGreaterThan(10);
      await team.restartSwept();
      const present = new Set<string>();
      for (const [path, known] of files) {
        const reply = await team.get('ben', path);
        const content = await reply.bytes();
        const found = reply.status === 200 ? createHash('sha256').update(content).digest('hex') : null;
        expect([200, 404], path).toContain(reply.status);
        if (found !== null) expect(reply.headers.get('etag'), path).toBe(`"${found}"`);
        const { hash, cutOff } = known;
        expect(cutOff === undefined ? [hash] : [hash, cutOff], path).toContain(found);
        if (found !== null) present.add(found);
        files.set(path, { hash: found, cutOff: undefined });
      }
      expect((await contents(team)).sort()).toEqual([...present].sort());
      expect(await incoming(team)).toEqual([]);
      await team.broker.close();
    }
    await team.restart();
  },
);
