import { mkdir, readdir, readFile, truncate } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { changeInside, overwrite, overwriteRoot } from '../../broker/testing/damage-store.ts';
import type { Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

const at = (home: Home) => ({
  SVC_CONFIG_PATH: home.path('team/svc.json'),
  SVC_DB_PATH: home.path('team/main.db'),
  SVC_ACTIVITY_DB_PATH: home.path('team/activity.db'),
  SVC_TOKEN: tokens.ada,
});

const messages = 60;

/** A team that was at work; null if it is to go on. */
async function team(home: Home) {
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'));
  const server = await home.serve([], at(home));
  const ada = clientOf(server.url, 'ada');
  for (let n = 0; n < messages; n++) await ada.call('push', { body: { body: `message ${n}` } });
  for (let n = 0; n < 20; n++)
    await clientOf(server.url, 'ben').call('createObjective', {
      body: { title: `Ship ${n}`, outcome: 'It is shipped.', assignee: 'ben' },
    });
  await ada.call('search', { query: { q: 'message' } });
  return server;
}

async function stop({ child, ended }: Awaited<ReturnType<typeof team>>): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

const repair = (home: Home, ...options: string[]) => home.run(['repair', ...options], { env: at(home) });

/** Everything works again, and nothing is missing. */
async function expectWhole(home: Home): Promise<void> {
  expect(await repair(home, '--check')).toMatchObject({ code: 0, stdout: 'main: whole\nactivity: whole\n' });
  const server = await home.serve([], at(home));
  const ada = clientOf(server.url, 'ada');
  const found = () => ada.call('search', { query: { q: '"message 7"' } });
  await expect.poll(async () => (await found()).results.length).toBe(1);
  const { messages: history } = await ada.call('history', { query: { limit: '200' } });
  expect(history.filter(({ body }) => body.startsWith('message '))).toHaveLength(messages);
  expect(await ada.call('attention', {})).not.toHaveProperty('damagedStores');
  await stop(server);
}

describe('muster repair', () => {
  it('refuses while a broker runs, and changes nothing of what is whole', async ({ home }) => {
    const server = await team(home);
    const refused = await repair(home);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another broker') });
    await stop(server);
    const before = await readFile(home.path('team/main.db'));
    expect(await repair(home)).toMatchObject({ code: 0, stdout: 'main: whole\nactivity: whole\n' });
    expect(await readFile(home.path('team/main.db'))).toEqual(before);
  });

  it.for([
    ['entries are missing in an index', (file: string) => withoutEntries(file)],
    ['a page of an index is overwritten', (file: string) => overwriteRoot(file, 'message_by_scope')],
    ['a unique index is overwritten', (file: string) => overwriteRoot(file, 'sqlite_autoindex_message_1')],
    ['the search index is overwritten', (file: string) => overwriteRoot(file, 'message_words_data')],
    [
      'the search index has no settings',
      async (file: string) => changeInside(file, 'UPDATE message_words_config SET v = 99'),
    ],
  ] as const)('rebuilds the main store if %s', async ([, damage], { home }) => {
    await stop(await team(home));
    const file = home.path('team/main.db');
    await damage(file);
    const damaged = await readFile(file);
    const checked = await repair(home, '--check');
    expect(checked).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^main: damaged \(.*\nmain: a repair would rebuild it, .* 0 messages would be lost\n/,
      ),
    });
    expect(await readFile(file)).toEqual(damaged);
    const doctor = await home.run(['doctor', '--full'], { env: at(home) });
    expect(doctor.stdout).toContain(' repair"');
    const repaired = await repair(home);
    expect(repaired).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^main: rebuilt, .* 0 messages lost\n/),
    });
    const aside = (await readdir(home.path('team'))).filter((name) => name.includes('.damaged-'));
    expect(aside).toHaveLength(1);
    expect(await readFile(home.path(`team/${aside[0]}`))).toEqual(damaged);
    await expectWhole(home);
  });

  it('leaves a main store alone whose tables are damaged, and names restore', async ({ home }) => {
    await stop(await team(home));
    const file = home.path('team/main.db');
    await overwriteRoot(file, 'message');
    const before = await readFile(file);
    expect((await repair(home, '--check')).code).toBe(3);
    const refused = await repair(home);
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^main: damaged, and cannot be repaired \(.+ restore"\nactivity: whole\n$/,
      ),
    });
    expect(await readFile(file)).toEqual(before);
  });

  it.for([
    ['header', (file: string) => overwrite(file, 0, 100), 0],
    ['index', (file: string) => overwriteRoot(file, 'activity_by_kind'), 0],
    ['table', (file: string) => overwriteRoot(file, 'activity'), 1],
    ['end', (file: string) => truncate(file, 2 * 16_384), 1],
  ] as const)(
    'salvages an activity store with a damaged %s, and says what is lost',
    async ([, damage, code], { home }) => {
      await stop(await team(home));
      await damage(home.path('team/activity.db'));
      const checked = await repair(home, '--check');
      const repaired = await repair(home);
      const rows =
        /^activity: (?:a repair would rebuild it|rebuilt), 20 records kept, 0 records (?:would be )?lost$/m;
      expect([checked.stdout, repaired.stdout].map((text) => rows.test(text))).toEqual(
        Array(2).fill(code === 0),
      );
      expect([checked.code, repaired.code]).toEqual(code === 0 ? [1, 0] : [3, 1]);
      expect(repaired.stderr).toMatch(/the damaged file is ".*activity\.db\.damaged-/);
      await expectWhole(home);
    },
  );
});

/** An index on a column that was empty while it was created lacks every entry. */
async function withoutEntries(file: string): Promise<void> {
  changeInside(
    file,
    `CREATE TABLE other (scope TEXT, seq INTEGER);
     CREATE INDEX other_index ON other (scope, seq);
     UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'other_index') WHERE name = 'message_by_scope';
     DELETE FROM sqlite_schema WHERE name IN ('other', 'other_index');`,
  );
}
