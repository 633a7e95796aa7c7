import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHome, type Home } from '../../bin/testing/command.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';

let team: TestBroker;
let home: Home;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true, members: { ada: ['admin'], ben: [] } });
  home = await createHome();
});
afterEach(async () => {
  await home.remove();
  await team.stop();
});

function logged(cache: string): string {
  const logs = join(cache, 'svc', 'logs');
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'utf8'))
    .join('\n');
}

it.each([
  ['waits until a program that took over the screen has ended', 'stty raw -echo', ['left', 'asks you']],
  ['comes at once beside a program that prints lines', 'true', ['asks you', 'left']],
])('a notice of a run %s', async (_, takes, order) => {
  const [cwd, cache] = [home.path('work'), home.path('cache')];
  mkdirSync(cwd);
  const program = `${takes}; touch taken; while [ ! -e go ]; do sleep 0.1; done; stty sane; echo left`;
  const run = home.startInTerminal(['run', 'sh', '--cwd', cwd, '--', '-c', program], {
    SVC_URL: team.url,
    SVC_TOKEN: team.token('ben'),
    XDG_CACHE_HOME: cache,
  });
  await expect.poll(() => existsSync(join(cwd, 'taken'))).toBe(true);
  const ada = team.as('ada');
  const { connected } = await ada.call('roster', {});
  const since = connected.find(({ name }) => name === 'ben')?.run?.since ?? 0;
  await ada.call('interruptRun', { params: { name: 'ben' }, body: { since } });
  await expect.poll(() => logged(cache)).toContain('was asked to interrupt the agent');
  writeFileSync(join(cwd, 'go'), '');
  await run.ended;
  const places = order.map((text) => run.stdout().indexOf(text));
  expect(places[0]).toBeGreaterThan(-1);
  expect(places[1]).toBeGreaterThan(places[0] ?? 0);
});
