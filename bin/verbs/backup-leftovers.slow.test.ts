import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home, type Running } from '../testing/command.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
const at = (folder: string) => ({
  SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
  SVC_DB_PATH: home.path(`${folder}/main.db`),
  SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
});
const svc = (folder: string, args: string[]) => home.run(args, { env: at(folder) });
const namesIn = async (folder: string) => (await readdir(home.path(folder))).sort();
const workFolder = /\.(?:restore|partial)-[0-9a-f-]{36}$/;
const leftIn = async (folder: string) => (await namesIn(folder)).filter((name) => workFolder.test(name));

/** An empty content, which a pipe can stand in for: whoever copies it waits for us. */
const emptyHash = createHash('sha256').digest('hex');
const contentPath = () => home.path(join('team/files', emptyHash.slice(0, 2), emptyHash));

beforeAll(async () => {
  home = await createHome();
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'), { files: { root: 'files' } });
  const server = await home.serve([], at('team'));
  await fetch(`${server.url}/fs/write?path=/ada/empty.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'text/plain' },
    body: '',
  });
  server.child.kill('SIGTERM');
  await server.ended;
  await svc('team', ['backup', home.path('team.tar')]);
});
afterAll(() => home.remove());

/** Starts a command that reads the pipe, and returns once it does. It then waits until `kill`. */
async function startAtPipe(folder: string, args: string[], pipe: string) {
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe]);
  const running: Running = home.start(args, at(folder));
  const writer = await open(pipe, 'w');
  await rm(pipe);
  return {
    async kill() {
      running.child.kill('SIGKILL');
      await running.ended;
      await writer.close();
    },
  };
}

async function startBackup(...args: string[]) {
  await rm(contentPath());
  const started = await startAtPipe('team', ['backup', ...args], contentPath());
  await writeFile(contentPath(), '');
  return started;
}

describe.skipIf(process.platform === 'win32')('a restore that was killed', () => {
  const startRestore = (folder: string) =>
    startAtPipe(folder, ['restore', home.path('pipe')], home.path('pipe'));

  it('leaves what the next one in the same place removes', async () => {
    await (await startRestore('killed')).kill();
    expect(await leftIn('killed')).toHaveLength(2);
    expect((await svc('killed', ['restore', home.path('team.tar')])).code).toBe(0);
    expect(await leftIn('killed')).toEqual([]);
    expect(await namesIn('killed')).toEqual(['activity.db', 'files', 'main.db', 'svc.json']);
  });

  it('is told from one that runs, and from what only looks like one', async () => {
    const mine = `notes.restore-${crypto.randomUUID()}`;
    const file = `notes.partial-${crypto.randomUUID()}`;
    await mkdir(home.path(`shared/${mine}`), { recursive: true });
    await writeFile(home.path(`shared/${mine}/mine`), 'mine');
    await writeFile(home.path(`shared/${file}`), 'mine');
    const living = await startRestore('shared');
    expect(await leftIn('shared')).toHaveLength(4);
    expect((await svc('shared', ['restore', home.path('team.tar')])).code).toBe(0);
    expect(await leftIn('shared')).toHaveLength(4);
    await living.kill();
    await rm(home.path('shared/svc.json'));
    await rm(home.path('shared/main.db'));
    await rm(home.path('shared/activity.db'));
    await rm(home.path('shared/files'), { recursive: true });
    expect((await svc('shared', ['restore', home.path('team.tar')])).code).toBe(0);
    expect(await leftIn('shared')).toEqual([mine, file].sort());
    expect(await readFile(home.path(`shared/${mine}/mine`), 'utf8')).toBe('mine');
  });
});

describe.skipIf(process.platform === 'win32')('a backup that was killed', () => {
  it('leaves what the next one in the same folder removes, and not what another one uses', async () => {
    await (await startBackup(home.path('tars/one.tar'))).kill();
    const [killed] = await leftIn('tars');
    const living = await startBackup(home.path('tars/two.tar'));
    expect(await leftIn('tars')).toEqual([expect.stringContaining('two.tar.partial-')]);
    expect(killed).toContain('one.tar.partial-');
    expect((await svc('team', ['backup', home.path('tars/three.tar')])).code).toBe(0);
    expect(await leftIn('tars')).toHaveLength(1);
    await living.kill();
    expect((await svc('team', ['backup', home.path('tars/four.tar')])).code).toBe(0);
    expect(await namesIn('tars')).toEqual(['four.tar', 'three.tar']);
  });

  it('leaves nothing in a folder of backups once the next one has begun', async () => {
    const snapshots = async () => (await namesIn('folder')).filter((name) => /^\d/.test(name));
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await (await startBackup('--to', home.path('folder'))).kill();
    expect(await snapshots()).toHaveLength(1);
    await utimes(home.path('folder/.lock'), anHourAgo, anHourAgo);
    const next = await startBackup('--to', home.path('folder'));
    expect(await snapshots()).toHaveLength(1);
    await next.kill();
    await utimes(home.path('folder/.lock'), anHourAgo, anHourAgo);
    expect((await svc('team', ['backup', '--to', home.path('folder')])).code).toBe(0);
    expect(await snapshots()).toHaveLength(1);
  });
});
