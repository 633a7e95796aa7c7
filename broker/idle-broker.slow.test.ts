import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { createBroker } from './create-broker.ts';
import { createLog } from './runtime/log.ts';

const token = `svc_${'i'.repeat(43)}`;

async function storeThreads(): Promise<string[]> {
  const tasks = await readdir('/proc/self/task');
  const names = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/comm`, 'utf8').catch(() => '')),
  );
  return names
    .map((name) => name.trim())
    .filter((name) => /-(?:writer|reader)$/.test(name))
    .sort();
}

// Only Linux reveals the names of a process's threads.
it.skipIf(process.platform !== 'linux')(
  'keeps no threads that only read in a broker without requests (ADR 0013)',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-idle-'));
    const configPath = join(folder, 'svc.json');
    const members = [{ name: 'ada', role: { title: 'x' }, rawPermissions: ['members.manage'], token }];
    await writeFile(configPath, JSON.stringify({ team: { name: 'Idle' }, store: { members } }), {
      mode: 0o600,
    });
    const broker = await createBroker({
      configPath,
      dbPath: join(folder, 'main.db'),
      activityDbPath: join(folder, 'activity.db'),
      env: {},
      log: createLog({ destination: { write: () => undefined } }),
    });
    onTestFinished(async () => {
      await broker.close();
      await rm(folder, { recursive: true, force: true });
    });
    await broker.listen({ port: 0 });
    expect(await storeThreads()).toEqual(['activity-writer', 'main-writer']);
    const reply = await broker.inject({ url: '/history', headers: { authorization: `Bearer ${token}` } });
    expect(reply.statusCode).toBe(200);
    expect(await storeThreads()).toEqual(['activity-writer', 'main-reader', 'main-writer']);
  },
);
