import { mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

const at = (home: Home) => ({
  SVC_CONFIG_PATH: home.path('team/svc.json'),
  SVC_DB_PATH: home.path('team/main.db'),
  SVC_ACTIVITY_DB_PATH: home.path('team/activity.db'),
  SVC_TOKEN: tokens.ada,
});

/** A broker that was set up. */
async function serveTeam(home: Home, more: Record<string, unknown>) {
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'), more);
  return home.serve([], at(home));
}

/** A team that was at work and stopped. */
async function stoppedTeam(home: Home, more: Record<string, unknown>): Promise<void> {
  const server = await serveTeam(home, more);
  await clientOf(server.url, 'ada').call('push', { body: { body: 'before' } });
  await clientOf(server.url, 'ben').call('createObjective', {
    body: { title: 'Ship', outcome: 'It is shipped.', assignee: 'ben' },
  });
  server.child.kill('SIGTERM');
  await server.ended;
}

const push = (url: string) =>
  fetch(`${url}/push`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'application/json' },
    body: JSON.stringify({ body: 'a post' }),
  });

describe('a main store that is gone before the start', () => {
  it.for([
    ['removed', (path: string) => rm(path)],
    ['emptied', (path: string) => truncate(path, 0)],
  ] as const)('is not replaced by an empty one beside the files: %s', async ([, lose], { home }) => {
    await stoppedTeam(home, { files: { root: 'files' } });
    await lose(home.path('team/main.db'));
    const refused = await home.run(['serve', '--port', '0'], { env: at(home) });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/serve --begin-anew" to start without the messages of before\.\n$/),
    });
    expect(refused.stderr).toContain(
      `the main store "${home.path('team/main.db')}" is missing or empty, but the files of a store are in "${home.path('team/files')}"; `,
    );
    expect((await readFile(home.path('team/main.db')).catch(() => Buffer.of())).length).toBe(0);
    const anew = await home.serve(['--begin-anew'], at(home));
    anew.child.kill('SIGTERM');
    await anew.ended;
    const again = await home.serve([], at(home));
    expect((await push(again.url)).status).toBe(200);
  });

  it('is not replaced by an empty one beside the activity', async ({ home }) => {
    await stoppedTeam(home, {});
    await rm(home.path('team/main.db'));
    const refused = await home.run(['serve', '--port', '0'], { env: at(home) });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`but the team's activity is in "${home.path('team/activity.db')}"; `);
  });

  it('may be missing at the first start, also when that was cut off', async ({ home }) => {
    const server = await serveTeam(home, {});
    server.child.kill('SIGKILL');
    await server.ended;
    for (const name of ['main.db', 'main.db-wal', 'main.db-shm'])
      await rm(home.path(`team/${name}`), { force: true });
    const again = await home.serve([], at(home));
    expect((await push(again.url)).status).toBe(200);
  });
});

describe('a store that is gone while the broker runs', () => {
  it.for([
    ['main.db', 'removed', (path: string) => rm(path)],
    ['main.db', 'moved', (path: string) => rename(path, `${path}.aside`)],
    [
      'main.db',
      'replaced',
      async (path: string) => {
        await writeFile(`${path}.new`, await readFile(path));
        await rename(`${path}.new`, path);
      },
    ],
    ['main.db-wal', 'removed', (path: string) => rm(path)],
  ] as const)('takes no more writes, and says so: %s %s', async ([name, , lose], { home }) => {
    const server = await serveTeam(home, { files: { root: 'files' } });
    expect((await push(server.url)).status).toBe(200);
    await lose(home.path(`team/${name}`));
    await expect.poll(async () => (await push(server.url)).status).toBe(503);
    expect(await (await push(server.url)).json()).toMatchObject({
      error: 'unavailable',
      reason: 'store_lost',
      message: expect.stringContaining('a store was deleted or replaced while the broker ran'),
    });
    const health = await fetch(`${server.url}/healthz`);
    expect(health.status).toBe(503);
    const doctor = await home.run(['doctor', '--url', server.url], { env: at(home) });
    expect(doctor.stdout).toContain('fail  broker: a store was deleted or replaced');
    server.child.kill('SIGTERM');
    await server.ended;
    expect(server.stderr()).toContain(home.path(`team/${name}`));
  });

  it.runIf(process.platform !== 'win32')('is written again when it is put back', async ({ home }) => {
    const server = await serveTeam(home, { files: { root: 'files' } });
    await rename(home.path('team/main.db'), home.path('team/aside.db'));
    await expect.poll(async () => (await push(server.url)).status).toBe(503);
    await rename(home.path('team/aside.db'), home.path('team/main.db'));
    await expect.poll(async () => (await push(server.url)).status).toBe(200);
  });
});
