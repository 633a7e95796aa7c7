/** A backup, its restore, and a damaged backup; backup.verb.slow.test.ts has the rest. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, writeTeam } from '../testing/team-file.ts';

const at = (home: Home, folder: string) => ({
  SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
  SVC_DB_PATH: home.path(`${folder}/main.db`),
  SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
});

describe('a backup', () => {
  it('of a running broker is restored whole, and a damaged one is refused with its name and leaves nothing', async ({
    home,
  }) => {
    const svc = (folder: string, ...args: string[]) => home.run(args, { env: at(home, folder) });
    await mkdir(home.path('team'));
    await writeTeam(home.path('team/svc.json'));
    const server = await home.serve([], at(home, 'team'));
    await clientOf(server.url, 'ada').call('push', { body: { body: 'before the backup' } });
    expect(await svc('team', 'backup', home.path('team.tar'))).toMatchObject({ code: 0 });

    expect(await svc('again', 'restore', home.path('team.tar'))).toMatchObject({ code: 0 });
    await cp(home.path('team/svc.json.kek'), home.path('again/svc.json.kek'));
    const { url } = await home.serve([], at(home, 'again'));
    const { messages } = await clientOf(url, 'ada').call('history', { query: {} });
    expect(messages.map(({ body }) => body)).toEqual(['before the backup']);

    const bytes = await readFile(home.path('team.tar'));
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    await writeFile(home.path('damaged.tar'), bytes);
    const refused = await svc('nothing', 'restore', home.path('damaged.tar'));
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/damaged/);
    expect(await readdir(home.path('nothing')).catch(() => [])).toEqual([]);
  });
});
