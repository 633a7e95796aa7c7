import { mkdir, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { appendAuditRecords } from '../../broker/testing/audit-records.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

const records = 10_100;
const dayMs = 86_400_000;

it('a store that was pruned verifies, with and without a saved head, and survives a backup and a restore', async ({
  home,
}) => {
  const at = (folder: string) => ({
    SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
    SVC_DB_PATH: home.path(`${folder}/main.db`),
    SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
  });
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'));
  const file = home.path('team/main.db');
  const early = appendAuditRecords(file, 100, Date.now() - 60 * dayMs);
  const late = appendAuditRecords(file, records, Date.now() - 40 * dayMs);
  const server = await home.serve([], at('team'));
  const svc = (...args: string[]) =>
    home.run(args, { env: { ...at('team'), SVC_URL: server.url, SVC_TOKEN: tokens.ada } });
  const pinOf = async (head: object): Promise<string> => {
    await writeFile(home.path('pin.json'), JSON.stringify(head));
    return home.path('pin.json');
  };
  for (let n = 0; n < 40; n++)
    await clientOf(server.url, 'ben').call('push', { body: { body: `${n} ${'x'.repeat(50_000)}` } });

  await svc('retention', 'set', '--audit-records', '10000', '--messages-size', '1MiB');
  expect(await svc('retention', 'run')).toMatchObject({ code: 0, stdout: expect.stringContaining('ended') });
  const shown = JSON.parse((await svc('audit', '--kind', 'retention_removed', '--json')).stdout);
  const subjects = new Set(shown.records.map(({ subject }: { subject: string }) => subject));
  expect(subjects).toEqual(new Set(['messages.maxBytes', 'audit.maxRecords']));
  // The records of the run itself came later.
  expect(shown.head.seq - shown.first.seq).toBeLessThan(10_010);
  expect(shown.first.seq).toBeGreaterThan(200);
  expect(await svc('audit', '--verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('holds') });
  expect(await svc('audit', '--verify', '--pin', await pinOf(late))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('contains the saved record'),
  });
  expect(await svc('audit', '--verify', '--pin', await pinOf(early))).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('was removed by retention'),
  });

  expect(await svc('doctor', '--full')).toMatchObject({ code: 0 });
  expect(await svc('backup', home.path('pruned.tar'))).toMatchObject({ code: 0 });
  const restored = await home.run(['restore', home.path('pruned.tar')], { env: at('new') });
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('all verified') });
  const again = await home.serve([], at('new'));
  const { messages } = await clientOf(again.url, 'cy').call('history', { query: {} });
  expect(messages.map(({ body }) => Number.parseInt(body, 10)).at(0)).toBe(39);
  expect(messages.length).toBeLessThan(40);
  const { run, ...policy } = await clientOf(again.url, 'ada').call('retention', {});
  expect(policy).toMatchObject({ messages: { maxBytes: 2 ** 20 }, audit: { maxRecords: 10_000 } });
});
