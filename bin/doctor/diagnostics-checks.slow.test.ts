import { rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changeStore } from '../../broker/testing/store-rows.ts';
import { createHome, type Home } from '../testing/command.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
beforeEach(async () => {
  home = await createHome();
});
afterEach(() => home.remove());

async function doctorOn(config: Record<string, unknown>): Promise<string> {
  await writeTeam(home.path('svc.json'), config);
  const { url } = await home.serve([], { SVC_CONFIG_PATH: home.path('svc.json') });
  return (await home.run(['doctor', '--url', url, '--token', tokens.ada])).stdout;
}

it.each([
  { config: { files: { root: 'files' } }, line: /^ok {4}files: on$/m },
  { config: {}, line: /^ok {4}files: off, because the configuration has no files block$/m },
])('muster doctor says whether files are on, and finds nothing wrong: $config', async ({ config, line }) => {
  expect(await doctorOn(config)).toMatch(line);
});

it('muster doctor fails if the folder for files cannot be used', async () => {
  await rm(home.path('files'), { recursive: true, force: true });
  await writeFile(home.path('files'), 'not a folder');
  expect(await doctorOn({ files: { root: 'files' } })).toMatch(/^fail {2}files: files are off, because /m);
});

it('muster doctor warns if the running broker uses other stores than the configuration names', async () => {
  const stores = { main: 'data/main.db', activity: 'data/activity.db' };
  await writeTeam(home.path('svc.json'), { stores });
  const doctor = async (url: string) =>
    (await home.run(['doctor', '--url', url, '--token', tokens.ada])).stdout;
  const same = await home.serve();
  expect(await doctor(same.url)).toMatch(/^ok {4}broker stores: main \d/m);
  same.child.kill('SIGTERM');
  await same.ended;
  const other = await home.serve(['--db', 'other.db']);
  const told = await doctor(other.url);
  expect(told).not.toContain('other.db');
  expect(told).toMatch(/^warn {2}broker stores: the running broker uses other stores/m);
  expect(told).toContain(`main is not "${home.path('data/main.db')}"`);
  expect(told).not.toContain('activity is');
  const fleeting = await home.serve(['--memory']);
  expect(await doctor(fleeting.url)).toContain('main is in memory instead of');
});

it('muster doctor warns if the disk of the stores has less space than the broker needs for files', async () => {
  const stores = { main: 'main.db', activity: 'activity.db' };
  const diskLine = async (minFreeBytes: number) => {
    await writeTeam(home.path('svc.json'), { stores, files: { root: 'files', minFreeBytes } });
    // Doctor reads a configuration once the broker has hashed its tokens.
    const broker = await home.serve();
    broker.child.kill('SIGTERM');
    await broker.ended;
    return /^.*disk: .*$/m.exec((await home.run(['doctor'])).stdout)?.[0];
  };
  expect(await diskLine(0)).toMatch(/^ok {4}disk: [\d.]+ [MGT]iB free for "/);
  expect(await diskLine(Number.MAX_SAFE_INTEGER)).toMatch(/^warn {2}disk: .*accepts no files/);
});

it('muster doctor warns if messages have a time in the future of the clock', async () => {
  await writeTeam(home.path('svc.json'), { stores: { main: 'main.db', activity: 'activity.db' } });
  const doctor = async (url: string) =>
    (await home.run(['doctor', '--url', url, '--token', tokens.ada])).stdout;
  const first = await home.serve();
  await clientOf(first.url, 'ada').call('push', { body: { body: 'from a wrong clock' } });
  expect(await doctor(first.url)).toMatch(/^ok {4}broker clock: /m);
  first.child.kill('SIGTERM');
  await first.ended;
  changeStore(home.path('main.db'), 'UPDATE message SET ts = ts + 31536000000');
  const second = await home.serve();
  expect(await doctor(second.url)).toMatch(
    /^warn {2}broker clock: The newest message is stamped 365 days ahead of the clock/m,
  );
});
