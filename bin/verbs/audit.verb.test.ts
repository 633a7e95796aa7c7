import { copyFileSync, rmSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditRecord } from '#protocol/audit.ts';
import { changeStore } from '../../broker/testing/store-rows.ts';
import { createHome, type Home } from '../testing/command.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let server: Awaited<ReturnType<Home['serve']>>;
const env = () => ({ SVC_URL: server.url, SVC_TOKEN: tokens.ada });
const svc = (...args: string[]) => home.run(args, { env: env() });
const serve = () =>
  home.serve([], { SVC_DB_PATH: home.path('main.db'), SVC_ACTIVITY_DB_PATH: home.path('activity.db') });

async function restart(meanwhile: () => void): Promise<void> {
  server.child.kill('SIGTERM');
  await server.ended;
  meanwhile();
  server = await serve();
}

beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'));
  server = await serve();
  await svc('team', 'set', '--directive', 'Ship \u001b[31mit');
  await svc('members', 'update', 'cy', '--permissions', 'operator');
});
afterAll(() => home.remove());

it('shows the newest records first, with who, from where, and what changed', async () => {
  const { code, stdout } = await svc('audit');
  expect(code).toBe(0);
  const [head, newest, older, first] = stdout.split('\n');
  expect(head).toMatch(/^NO\. +TIME +KIND +ABOUT +BY +CHANGE$/);
  expect(newest).toMatch(
    /^3 .* permissions changed +cy +ada by bearer [0-9a-f]{8} from 127\.0\.0\.1 +entries: \[\] → \[operator\]/,
  );
  expect(older).toContain('team changed');
  expect(older).not.toContain('\u001b');
  expect(first).toMatch(/^1 .* audit started .*found in the configuration file/);
});

it('filters, pages, and names the nearest kind', async () => {
  const shown = await svc('audit', '--kind', 'team_changed', '--since', '2026-01-01');
  expect(shown.stdout.trim().split('\n')).toHaveLength(2);
  expect((await svc('audit', '--until', '2026-01-01')).stderr).toContain('no records');
  const page = await svc('audit', '--limit', '1');
  expect(page.stderr).toContain('add --before 3');
  expect((await svc('audit', '--kind', 'logn')).stderr).toContain('Did you mean "login"?');
  expect((await svc('audit', '--since', 'soon')).stderr).toContain('--since must be a time');
});

it('refuses options of which one would be passed over', async () => {
  for (const words of [['--verify'], ['--export'], ['--verify', '--export']])
    expect(await svc('audit', '--acknowledge', '1', ...words)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('choose one of --verify, --export, and --acknowledge'),
    });
});

it.each([
  ['--export does not accept --limit, because it prints all records', ['--export', '--limit', '5']],
  ['--export does not accept --before, because it prints all records', ['--export', '--before', '3']],
  ['--verify does not accept --kind, because it checks the whole log', ['--verify', '--kind', 'login']],
  ['--verify does not accept --member, because it checks the whole log', ['--verify', '--member', 'cy']],
  [
    '--verify does not accept --since, because it checks the whole log',
    ['--verify', '--since', '2026-01-01'],
  ],
  [
    '--verify does not accept --until, because it checks the whole log',
    ['--verify', '--until', '2026-01-01'],
  ],
  ['--verify does not accept --limit, because it checks the whole log', ['--verify', '--limit', '5']],
  ['--acknowledge does not accept --kind, because', ['--acknowledge', '1', '--kind', 'audit_cut']],
])('refuses the combination: %s', async (sentence, words) => {
  expect(await svc('audit', ...words)).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringContaining(sentence),
  });
});

it('exports all records as one line of JSON each', async () => {
  const { stdout } = await svc('audit', '--export');
  const records: AuditRecord[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map(({ seq, kind }) => [seq, kind])).toEqual([
    [1, 'audit_started'],
    [2, 'team_changed'],
    [3, 'permissions_changed'],
  ]);
  const filtered = await svc('audit', '--export', '--kind', 'team_changed');
  expect(filtered.stdout.trim().split('\n')).toHaveLength(1);
});

it('verifies the chain, and against a record that was saved before', async () => {
  const pin = home.path('audit-head.json');
  const saved = await svc('audit', '--verify', '--pin', pin);
  expect(saved).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^holds: 3 records, 1 to 3\nnewest: 3 [0-9a-f]{64}\n[^\n]*\n$/),
  });
  expect(saved.stdout.split('\n')[2]).toBe(`nothing was saved in ${pin} before; saved record 3 now`);
  await svc('team', 'set', '--brief', 'later');
  expect((await svc('audit', '--verify', '--pin', pin)).stdout).toContain('contains the saved record 3');
  expect(JSON.parse(await readFile(pin, 'utf8'))).toMatchObject({ seq: 4 });
  expect((await svc('audit', '--verify', '--json')).stdout).toContain('"holds":true');
  const later = await svc('audit', '--verify', '--pin', pin, '--json');
  expect(JSON.parse(later.stdout)).toMatchObject({ holds: true, pin: { seq: 4 } });
  const first = await svc('audit', '--verify', '--pin', home.path('first.json'), '--json');
  expect(JSON.parse(first.stdout)).toMatchObject({ holds: true, pin: null });
  await writeFile(pin, 'no pin');
  expect((await svc('audit', '--verify', '--pin', pin)).stderr).toContain('is not a file that');
  expect((await svc('audit', '--pin', pin)).code).toBe(64);
});

it('creates no folder for the saved record', async () => {
  const folder = home.path('typo');
  expect(await svc('audit', '--verify', '--pin', home.path('typo/pin.json'))).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `muster: there is no folder "${folder}" for the saved record. Create it, or correct --pin.\n`,
  });
  await expect(stat(folder)).rejects.toThrow('ENOENT');
});

it('says so when the oldest records were removed, and the floor was moved after them, also with a pin', async () => {
  const pin = home.path('cut.json');
  await svc('audit', '--verify', '--pin', pin);
  const main = home.path('main.db');
  await restart(() => {
    copyFileSync(main, home.path('whole.db'));
    changeStore(
      main,
      `UPDATE audit_floor SET (seq, hash) = (SELECT seq, hash FROM audit WHERE seq = 2); DELETE FROM audit WHERE seq <= 2;`,
    );
  });
  const cut = {
    code: 1,
    stdout: 'does not hold: no record says that retention removed the records up to 2\n',
  };
  expect(await svc('audit', '--verify')).toMatchObject(cut);
  expect(await svc('audit', '--verify', '--pin', pin)).toMatchObject(cut);
  expect((await svc('doctor')).stdout).toContain('fail  audit log: no record says');
  await restart(() => {
    for (const rest of ['-wal', '-shm']) rmSync(main + rest, { force: true });
    copyFileSync(home.path('whole.db'), main);
  });
  expect(await svc('audit', '--verify', '--pin', pin)).toMatchObject({ code: 0 });
});

it('says so when a record was changed in the store, and when the log was written anew', async () => {
  const pin = home.path('pin.json');
  await svc('audit', '--verify', '--pin', pin);
  const change = (sql: string) => restart(() => changeStore(home.path('main.db'), sql));
  await change("DROP TRIGGER audit_is_not_changed; UPDATE audit SET member = 'ben' WHERE seq = 3;");
  expect(await svc('audit', '--verify')).toMatchObject({
    code: 1,
    stdout: 'does not hold: record 3 was changed\n',
  });
  expect((await svc('doctor')).stdout).toContain('fail  audit log: record 3 was changed');
  await change('DROP TRIGGER audit_keeps_its_end; DELETE FROM audit; DELETE FROM audited_configuration;');
  const emptied = await svc('audit', '--verify');
  expect(emptied).toMatchObject({ code: 1 });
  expect(emptied.stdout).toMatch(
    /^does not hold: a start found that the log no longer had record 4, which the broker had kept elsewhere \(record 1\)\n$/,
  );
  // Without the anchor as well, only the saved record tells.
  await restart(() => {
    changeStore(home.path('main.db'), 'DELETE FROM audit; DELETE FROM audited_configuration;');
    changeStore(home.path('activity.db'), 'DELETE FROM audit_anchor;');
  });
  expect((await svc('audit', '--verify')).code).toBe(0);
  const against = await svc('audit', '--verify', '--pin', pin);
  expect(against).toMatchObject({
    code: 1,
    stdout: 'does not hold: the log ends at record 1, before the saved record 4\n',
  });
});

it('says so when the newest records were cut, until a manager acknowledges it', async () => {
  const main = home.path('main.db');
  await restart(() => copyFileSync(main, home.path('before.db')));
  await svc('team', 'set', '--brief', 'cut');
  await restart(() => {
    for (const rest of ['-wal', '-shm']) rmSync(main + rest, { force: true });
    copyFileSync(home.path('before.db'), main);
  });
  const { stdout } = await svc('audit', '--verify');
  expect(stdout).toMatch(/^does not hold: a start found that the log no longer had record \d+/);
  const number = /\(record (\d+)\)\n$/.exec(stdout)?.[1] ?? '';
  expect((await svc('audit', '--acknowledge', '1')).stderr).toContain('does not say that the log was cut');
  for (let n = 0; n < 2; n++)
    expect(await svc('audit', '--acknowledge', number)).toMatchObject({ code: 0, stdout: '' });
  const found = await svc('audit', '--verify');
  expect(found.stdout).toContain(`the log was cut (record ${number}), which ada acknowledged\n`);
  expect(found.code).toBe(0);
  expect((await svc('audit', '--kind', 'audit_cut_acknowledged')).stdout.trimEnd().split('\n')).toHaveLength(
    2,
  );
  expect((await svc('doctor')).stdout).not.toContain('fail  audit log');
});
