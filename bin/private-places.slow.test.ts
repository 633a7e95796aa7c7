import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type Home } from './testing/command.ts';
import { clientOf, tokens, writeTeam } from './testing/team-file.ts';

let home: Home;
let umask = 0;
beforeAll(async () => {
  home = await createHome();
  umask = process.umask(0);
});
afterAll(async () => {
  process.umask(umask);
  await home.remove();
});

const places = (folder: string) => ({
  XDG_CACHE_HOME: home.path('cache'),
  SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
  SVC_DB_PATH: home.path(`${folder}/main.db`),
  SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
});

/**
 * Prints what others may enter, read, or write in the home folder, without the folder that the agent works in, and without
 * the folders that Node makes in the closed one for compiled code.
 */
const walk = `
  const { lstatSync, readdirSync } = require('node:fs');
  const open = readdirSync(process.env.HOME, { recursive: true })
    .filter((name) => !name.startsWith('work'))
    .map((name) => ({ name, stat: lstatSync(process.env.HOME + '/' + name, { throwIfNoEntry: false }) }))
    .filter(({ stat }) => stat !== undefined)
    .filter(({ name, stat }) => !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0 && !/svc.compiled.v/.test(name))
    .map(({ name, stat }) => (stat.mode & 0o777).toString(8) + ' ' + name);
  console.log('open: ' + JSON.stringify(open));
`;

/** Returns the mode and the path of everything in a folder that others may enter, read, or write. */
async function openTo(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    names.map(async (name) => ({ name, stat: await lstat(join(folder, name)) })),
  );
  return found
    .filter(
      ({ name, stat }) => !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0 && !/svc.compiled.v/.test(name),
    )
    .map(({ name, stat }) => `${(stat.mode & 0o777).toString(8)} ${relative(folder, join(folder, name))}`);
}

it.skipIf(process.platform === 'win32')(
  'a broker, its backups, and a run keep everything to their owner with the umask 000',
  async () => {
    await mkdir(home.path('team'), { mode: 0o700 });
    await mkdir(home.path('work'));
    await writeTeam(home.path('team/svc.json'), { files: { root: 'files' } });
    const server = await home.serve([], places('team'));
    await clientOf(server.url, 'ada').call('push', { body: { body: 'private' } });
    await fetch(`${server.url}/fs/write?path=/ada/a.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'text/plain' },
      body: 'private',
    });
    const asBen = { ...places('client'), SVC_URL: server.url, SVC_TOKEN: tokens.ben };
    const run = await home.run(['run', process.execPath, '--cwd', home.path('work'), '--', '-e', walk], {
      env: asBen,
    });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('open: []') });
    for (const to of ['copy.tar', 'copies'])
      expect(await home.run(['backup', home.path(to)], { env: places('team') })).toMatchObject({ code: 0 });
    const restored = await home.run(['restore', home.path('copy.tar')], { env: places('again') });
    expect(restored).toMatchObject({ code: 0 });
    expect(
      (await readdir(home.path('cache'), { recursive: true })).some((name) => name.includes('compiled')),
    ).toBe(true);
    const open = await openTo(home.folder);
    expect(open.filter((one) => !one.endsWith(' work'))).toEqual([]);
  },
);

it.skipIf(process.platform === 'win32')(
  'compiled code that others could have written is not used',
  async () => {
    const compiled = home.path('loose/svc/compiled');
    await mkdir(join(compiled, 'planted'), { recursive: true, mode: 0o777 });
    const env = { XDG_CACHE_HOME: home.path('loose') };
    expect(await home.run(['--version'], { env })).toMatchObject({ code: 0 });
    expect(await readdir(compiled)).not.toContain('planted');
    for (const path of [compiled, home.path('loose/svc')])
      expect((await lstat(path)).mode & 0o777).toBe(0o700);
  },
);
