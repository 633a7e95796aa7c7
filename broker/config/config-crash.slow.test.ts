import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashToken, mintToken } from '../security/token.ts';
import { openKek } from './kek-file.ts';
import {
  configFile,
  openAt,
  plaintextDocument,
  readDocument,
  readText,
  secrets,
} from './testing/config-fixture.ts';

const childPath = fileURLToPath(new URL('./testing/config-child.ts', import.meta.url));

function start(command: string, args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Every file that the process writes grows to 0 bytes at most, so the disk is full for it, also as root. */
async function onFullDisk(task: string, path: string) {
  const child = start('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, childPath, task, path]);
  const exited = once(child, 'exit');
  const lines: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout! })) lines.push(JSON.parse(line));
  const [code] = await exited;
  return { code, lines };
}

describe('a configuration file is complete whatever happens to its writer', () => {
  it('after kill -9 in the middle of updates', async () => {
    const path = await configFile();
    await openAt(path);
    await Promise.all(
      [1, 2, 3].map(async (rounds) => {
        const own = await configFile(await readDocument(path));
        const child = start(process.execPath, [childPath, 'update-forever', own]);
        const exited = once(child, 'exit');
        let acknowledged = 0;
        for await (const line of createInterface({ input: child.stdout! })) {
          acknowledged = JSON.parse(line).round ?? 0;
          if (acknowledged >= rounds * 7) child.kill('SIGKILL');
        }
        await exited;
        const onDisk = (await readDocument(own)).team.brief;
        const round = Number.parseInt(onDisk, 10);
        expect(round).toBeGreaterThanOrEqual(acknowledged);
        expect(onDisk).toBe(`${round} `.repeat(2000));
      }),
    );
  });

  it('after kill -9 while changes of many members share writes, of which each acknowledged one is there', async () => {
    const document = plaintextDocument();
    for (let i = 0; i < 100; i++)
      document.store.members.push({ name: `m${i}`, role: { title: 'x' }, rawPermissions: [] });
    await Promise.all(
      [150, 300, 450].map(async (enough) => {
        const path = await configFile(document);
        const child = start(process.execPath, [childPath, 'members-forever', path]);
        const exited = once(child, 'exit');
        const roundByName = new Map<string, number>();
        let acknowledged = 0;
        for await (const line of createInterface({ input: child.stdout! })) {
          const { name, round } = JSON.parse(line);
          if (name === undefined) continue;
          roundByName.set(name, round);
          acknowledged += 1;
          if (acknowledged >= enough) child.kill('SIGKILL');
        }
        await exited;
        const { members } = (await readDocument(path)).store;
        expect(members).toHaveLength(102);
        for (const { name, instructions } of members)
          expect(Number(instructions), name).toBeGreaterThanOrEqual(roundByName.get(name) ?? 0);
      }),
    );
  });

  it('after kill -9 at the moment a migration begins to write', async () => {
    const document = plaintextDocument();
    const tokens = Array.from({ length: 300 }, mintToken);
    for (const [i, token] of tokens.entries()) {
      document.store.members.push({ name: `m${i}`, role: { title: 'x' }, rawPermissions: [], token });
    }
    await Promise.all(
      [1, 2, 3].map(async () => {
        const path = await configFile(document);
        await openKek({ configPath: path, env: {} });
        const child = start(process.execPath, [childPath, 'open', path]);
        const watcher = watch(dirname(path), (_, name) => {
          if (name?.startsWith('svc.json.') && name.endsWith('.tmp')) child.kill('SIGKILL');
        });
        await once(child, 'exit');
        watcher.close();

        const onDisk = await readDocument(path);
        const isMigrated = onDisk.store.members[0].token === undefined;
        const store = await openAt(path);
        expect(store.migrated).toBe(isMigrated ? 0 : 303);
        expect(store.problems).toEqual([]);
        expect(store.current!.store.members.slice(2).map(({ tokenHash }) => tokenHash)).toEqual(
          tokens.map(hashToken),
        );
        expect(await readText(path)).not.toContain(secrets.token);
      }),
    );
  });
});

describe('a full disk', () => {
  it('refuses an update with 503 and changes nothing, neither in memory nor on disk', async () => {
    const path = await configFile();
    await openAt(path);
    const before = await readText(path);
    const { lines } = await onFullDisk('update', path);
    expect(lines).toContainEqual({
      refused: 'unavailable',
      message: expect.stringContaining('cannot be written (EFBIG), and nothing was changed'),
      brief: '',
    });
    expect(await readText(path)).toBe(before);
    expect((await readdir(dirname(path))).sort()).toEqual(['svc.json', 'svc.json.kek']);
  });

  it('stops the start with a clear sentence if a migration cannot be written, and loses nothing', async () => {
    const path = await configFile();
    await openKek({ configPath: path, env: {} });
    const before = await readText(path);
    const { code, lines } = await onFullDisk('open', path);
    expect(code).toBe(78);
    expect(lines).toEqual([
      {
        stopped: expect.stringContaining(
          `"${path}" holds 3 plaintext secrets and cannot be rewritten without them (EFBIG)`,
        ),
      },
    ]);
    expect(await readText(path)).toBe(before);
    expect((await readdir(dirname(path))).sort()).toEqual(['svc.json', 'svc.json.kek']);
  });
});
