import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { calledMuster, type Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, writeTeam } from '../testing/team-file.ts';

const setup = ['setup', '--team', 'Lab', '--admin', 'ada', '--no-totp'];
const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

async function stop(broker: Awaited<ReturnType<Home['serve']>>) {
  broker.child.kill('SIGTERM');
  return broker.ended;
}

const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

async function push(url: string, token: string, body: string) {
  const reply = await fetch(`${url}/push`, {
    method: 'POST',
    headers: headers(token),
    body: JSON.stringify({ body }),
  });
  expect(reply.status).toBe(200);
}

const history = async (url: string, token: string): Promise<string[]> => {
  const reply = await fetch(`${url}/history`, { headers: headers(token) });
  const { messages } = (await reply.json()) as { messages: { body: string }[] };
  return messages.map(({ body }) => body);
};

describe.concurrent('stores that the configuration names', () => {
  it('are used by serve, backup, and restore as printed after setup', async ({ home }) => {
    const made = await home.run([...setup, '--json']);
    const { token } = JSON.parse(made.stdout);
    expect((await read(home.path('svc.json'))).stores).toEqual({
      main: 'data/main.db',
      activity: 'data/activity.db',
    });
    const first = await home.serve();
    await push(first.url, token, 'before');
    expect((await stop(first)).stderr).not.toContain('in memory');
    expect(await home.run(['backup', '--to', 'copies'])).toMatchObject({ code: 0 });
    expect(await home.run(['doctor', '--full'])).toMatchObject({
      stdout: expect.stringContaining('complete and consistent'),
    });
    expect((await home.run(['prune-activity', '--older-than', '30d'])).code).toBe(0);
    expect((await home.run(['setup', '--new-vapid'])).stderr).toContain('No member has turned');
    for (const path of ['svc.json', 'svc.json.kek', 'data', 'files'])
      await rm(home.path(path), { recursive: true, force: true });
    expect(await home.run(['restore', 'copies'])).toMatchObject({ code: 0 });
    expect(existsSync(home.path('data/main.db'))).toBe(true);
    const second = await home.serve();
    expect(await history(second.url, token)).toEqual(['before']);
  });

  it('are below the folder of the configuration, and the hint names it', async ({ home }) => {
    const { stderr } = await home.run([...setup, '--config-path', 'my team/svc.json']);
    expect(stderr).toContain(
      `Start the broker: ${calledMuster} serve --config-path '${home.path('my team/svc.json')}'\n`,
    );
    await stop(await home.serve(['--config-path', 'my team/svc.json']));
    expect(existsSync(home.path('my team/data/main.db'))).toBe(true);
    expect(existsSync(home.path('data'))).toBe(false);
  });

  it('are the personal ones in the personal configuration', async ({ home }) => {
    const configPath = home.path('config/svc/svc.json');
    await home.run([...setup, '--config-path', configPath]);
    const { stores } = await read(configPath);
    expect(stores.main).toMatch(/svc[\\/]main\.db$/);
    await stop(await home.serve(['--config-path', configPath]));
    expect(existsSync(stores.main)).toBe(true);
    expect((await home.run(['backup', 'own.tar'])).code).toBe(0);
  });

  it('give way to the environment, and that to an option', async ({ home }) => {
    await home.run(setup);
    const env = { SVC_DB_PATH: home.path('env.db') };
    await stop(await home.serve([], env));
    // The files belong to the first of these stores.
    await stop(await home.serve(['--db', 'option.db', '--begin-anew'], env));
    expect([
      existsSync(home.path('env.db')),
      existsSync(home.path('option.db')),
      existsSync(home.path('data/activity.db')),
      existsSync(home.path('data/main.db')),
    ]).toEqual([true, true, true, false]);
  });

  it('are those that the broker uses when it is set up in the browser', async ({ home }) => {
    const broker = await home.serve();
    await broker.shows('/setup#key=');
    const key = /#key=(\S+)/.exec(broker.stdout())?.[1] ?? '';
    const reply = await fetch(`${broker.url}/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [setupKeyHeader]: key },
      body: JSON.stringify({
        team: { name: 'Lab', directive: 'x' },
        admin: { name: 'ada', role: { title: 'Lead' } },
      }),
    });
    const { token } = (await reply.json()) as { token: string };
    await push(broker.url, token, 'kept');
    await stop(broker);
    expect((await read(home.path('svc.json'))).stores).toEqual({
      main: 'data/main.db',
      activity: 'data/activity.db',
    });
    const again = await home.serve();
    expect(await history(again.url, token)).toEqual(['kept']);
  });

  it('are restored inside the place, whatever a backup names', async ({ home }) => {
    await mkdir(home.path('team'));
    const outside = { main: home.path('outside/m.db'), activity: home.path('outside/a.db') };
    await writeTeam(home.path('team/svc.json'), { stores: outside });
    await stop(await home.serve(['--config-path', 'team/svc.json']));
    expect((await home.run(['backup', 'x.tar', '--config-path', 'team/svc.json'])).code).toBe(0);
    await cp(home.path('outside'), home.path('kept'), { recursive: true });
    await rm(home.path('outside'), { recursive: true });
    expect((await home.run(['restore', 'x.tar', '--config-path', 'new/svc.json'])).code).toBe(0);
    expect(existsSync(home.path('outside'))).toBe(false);
    expect((await read(home.path('new/svc.json'))).stores).toEqual({
      main: 'data/main.db',
      activity: 'data/activity.db',
    });
    await home.serve(['--config-path', 'new/svc.json']);
  });
});

describe.concurrent('a configuration without stores', () => {
  it('keeps them in memory, as told, and is not refused without stores on disk', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const broker = await home.serve();
    await broker.shows('is kept in memory only', 'stderr');
    await clientOf(broker.url, 'ada').call('push', { body: { body: 'x' } });
    expect(existsSync(home.path('data'))).toBe(false);
  });

  it('is refused beside an activity store that nothing names', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    await mkdir(home.path('data'));
    await writeFile(home.path('data/activity.db'), '');
    const refused = await home.run(['serve', '--db', 'main.db']);
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(refused.stderr).toContain(`--activity-db ${home.path('data/activity.db')}`);
    expect(refused.stderr).not.toContain('--db ');
  });

  it('is told about a fault before it is told about stores', async ({ home }) => {
    await writeFile(home.path('svc.json'), '{');
    await mkdir(home.path('data'));
    await writeFile(home.path('data/main.db'), '');
    expect((await home.run(['serve'])).stderr).toContain('svc.json');
    expect((await home.run(['serve'])).stderr).not.toContain('--memory');
  });
});

describe.concurrent('setup --https', () => {
  it('finds the personal configuration, as the other commands do', async ({ home }) => {
    const configPath = home.path('config/svc/svc.json');
    await home.run([...setup, '--config-path', configPath]);
    const made = await home.run(['setup', '--https', '--json']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect((await read(configPath)).https).toMatchObject({ port: 8718 });
  });
});
