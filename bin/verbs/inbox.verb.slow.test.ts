import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type Home } from '../testing/command.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let url: string;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'));
  ({ url } = await home.serve());
});
afterAll(() => home.remove());

const inbox = (...args: string[]) =>
  home.run(['inbox', ...args], { env: { SVC_URL: url, SVC_TOKEN: tokens.ada } });

it('lists what needs a member with the next command, and takes items out and back', async () => {
  expect((await inbox()).stdout).toContain('nothing needs you');
  await clientOf(url, 'ben').call('push', { body: { to: 'ada', body: 'Have a look' } });
  const { stdout } = await inbox();
  expect(stdout).toMatch(/1 direct message from ben +Have a look +muster recent --with ben/);
  const [item] = JSON.parse((await inbox('list', '--json')).stdout).items;
  expect(item).toMatchObject({ kind: 'direct', place: { kind: 'conversation', scope: 'dm:ben' } });
  expect(stdout).toContain(item.id);
  expect((await inbox('done', item.id)).stdout).toContain('done: 1 direct message from ben');
  expect((await inbox()).stdout).toContain('nothing needs you');
  expect((await inbox('back', item.id)).stdout).toContain('brought back');
  expect((await inbox()).stdout).toContain('1 direct message');
  expect((await inbox('later', item.id, 'monday')).stdout).toMatch(/^put off until \d{4}-/);
  expect((await inbox()).stdout).toContain('nothing needs you');
});

it('does not put off a device beyond the end of its code', async () => {
  await fetch(`${url}/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint: 'a laptop' }),
  });
  const [item] = JSON.parse((await inbox('list', '--json')).stdout).items;
  expect(item.title).toBe('a laptop is waiting for approval');
  expect(await inbox('later', item.id)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot be put off for so long, because its code expires at \d{4}-/),
  });
  expect((await inbox()).stdout).toContain('a laptop is waiting for approval');
});

it('says what is wrong with an id, a time, and an action', async () => {
  expect(await inbox('done', 'abcdef')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no item "abcdef" needs you'),
  });
  expect(await inbox('later', 'abcdef', 'sunday')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('"sunday" is none of hour, tomorrow, monday'),
  });
  expect(await inbox('dnoe', 'abcdef')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Did you mean "done"?'),
  });
});
