import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAgentSession } from './agent-session.ts';

let runsDir: string;
beforeEach(async () => {
  runsDir = await mkdtemp(join(tmpdir(), 'muster-session-'));
});
afterEach(() => rm(runsDir, { recursive: true, maxRetries: 10 }));

let time = 0;
const open = (change: { cwd?: string; member?: string; kind?: string; isNew?: boolean } = {}) =>
  openAgentSession({
    runsDir,
    url: 'http://broker',
    member: 'ben',
    kind: 'codex',
    cwd: '/work',
    isNew: false,
    now: () => ++time,
    log: () => undefined,
    ...change,
  });

it('keeps the conversation per member, kind, and folder, and whether its turn was completed', async () => {
  const first = await open();
  expect([first.conversation.previous, first.wasCutOff]).toEqual([null, false]);
  first.conversation.keep('one');
  first.setTurn(true);
  await first.flush();
  for (const change of [{ cwd: '/other' }, { member: 'cy' }, { kind: 'claude-code' }])
    expect((await open(change)).conversation.previous).toBeNull();
  const second = await open();
  expect([second.conversation.previous, second.wasCutOff]).toEqual(['one', true]);
  second.setTurn(false);
  await second.flush();
  expect((await open()).wasCutOff).toBe(false);
});

it('keeps who waited for the end of a turn that was not completed', async () => {
  const first = await open();
  const asked = [{ place: { kind: 'member' as const, name: 'ada' }, inReplyTo: 'one' }];
  first.setAsked(asked);
  await first.flush();
  const second = await open();
  expect(second.asked).toEqual(asked);
  second.setAsked([]);
  await second.flush();
  expect((await open()).asked).toEqual([]);
});

it('forgets the conversation when a new one is asked for', async () => {
  const first = await open();
  first.conversation.keep('one');
  first.setTurn(true);
  await first.flush();
  const fresh = await open({ isNew: true });
  expect([fresh.conversation.previous, fresh.wasCutOff]).toEqual([null, false]);
  await fresh.flush();
  expect((await open()).conversation.previous).toBeNull();
});

it('takes a turn that the end of the run cuts off for one that was not completed', async () => {
  const session = await open();
  session.setTurn(true);
  session.freeze();
  session.setTurn(false);
  await session.flush();
  expect((await open()).wasCutOff).toBe(true);
});

it('keeps the newest 50 folders of a member', async () => {
  for (let n = 0; n < 60; n++) {
    const session = await open({ cwd: `/work/${n}` });
    session.conversation.keep(`${n}`);
    await session.flush();
  }
  expect((await open({ cwd: '/work/9' })).conversation.previous).toBeNull();
  expect((await open({ cwd: '/work/10' })).conversation.previous).toBe('10');
});

it('treats an unreadable file as none, and replaces it', async () => {
  const session = await open();
  session.conversation.keep('one');
  await session.flush();
  const [name = ''] = await readdir(runsDir);
  await writeFile(join(runsDir, name), '{');
  const next = await open();
  expect(next.conversation.previous).toBeNull();
  next.conversation.keep('two');
  await next.flush();
  expect(await readFile(join(runsDir, name), 'utf8')).toContain('two');
});
