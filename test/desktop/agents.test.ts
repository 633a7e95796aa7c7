/** Agents that the app starts, from the run menu to the end of the app, with a small script as the agent. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, selectIn } from '../browser/testing/choose.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { setUpByHand } from './testing/first-start.ts';
import { privateMode } from './testing/person-home.ts';
import { until } from './testing/until.ts';
import { violations } from './testing/violations.ts';

/** Prints what it was given, its number last and in one piece, and then what is fed to it, until it is asked to end. */
const script = `#!/bin/sh
echo $PPID > "$1/runner"
env > "$1/env"
tr '\\0' '\\n' < /proc/$PPID/cmdline > "$1/runner-arguments"
cat .mcp.json > "$1/registry"
echo $$ > "$1/pid.new"
mv "$1/pid.new" "$1/pid"
echo "hello from the agent"
echo "a word of complaint" >&2
: > "$1/feed"
tail -n +1 -f "$1/feed" &
wait
`;
const registry = '{ "mcpServers":{"x":{"command":"none"}} ,\r\n"a": 1}\n\n';

let app: DesktopApp;
let page: Page;
let notes: string;
let work: string;

beforeAll(async () => {
  app = await startDesktop();
  notes = join(app.home, 'notes');
  work = join(app.home, 'work');
  for (const folder of [notes, work]) mkdirSync(folder);
  writeFileSync(join(app.home, 'agent.sh'), script);
  chmodSync(join(app.home, 'agent.sh'), 0o755);
  writeFileSync(join(work, '.mcp.json'), registry, { mode: 0o640 });
  // The PATH that the person's terminal has and the app does not.
  const profile = `echo welcome\nexport PATH="${join(app.home, 'own-bin')}:$PATH"\n`;
  for (const name of ['.profile', '.bash_profile', '.zprofile']) writeFileSync(join(app.home, name), profile);
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  page = await app.page(0);
  await setUpByHand(page);
});

afterAll(() => app.close());

async function ask(method: string, url: string, body?: object): Promise<unknown> {
  const request = {
    method,
    url,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const reply = (await page.evaluate(`window.muster.request(${JSON.stringify(request)})`)) as {
    ok: boolean;
    value: { status: number; body: string };
  };
  expect(reply).toMatchObject({ ok: true });
  return reply.value.body === '' ? null : JSON.parse(reply.value.body);
}
const runTokens = async (): Promise<string[]> => {
  const { tokens } = (await ask('GET', '/members/ben/tokens')) as { tokens: { label: string }[] };
  return tokens.map(({ label }) => label).filter((label) => label.startsWith('run on '));
};
const note = (name: string): string => readFileSync(join(notes, name), 'utf8');
const pidOf = (name: string): number => Number(note(name));
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}
const untilAsBefore = () =>
  until(() => {
    expect(readFileSync(join(work, '.mcp.json'), 'utf8')).toBe(registry);
    expect(readdirSync(work)).toEqual(['.mcp.json']);
  });
const row = (state: string) =>
  page.getByRole('list', { name: 'Agents on this computer' }).getByText(state, { exact: true }).first();

test('starts a command as a member from the run menu and shows its output; nobody has to approve its token', async () => {
  await page.getByRole('link', { name: 'Agents' }).first().click();
  await page.getByText('No agents are running').waitFor();
  await page.getByRole('button', { name: 'Run an agent' }).first().click();
  await page.getByRole('button', { name: 'New member' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ben');
  await page.getByLabel('Role', { exact: true }).fill('Worker');
  await page.getByRole('button', { name: 'Create member' }).click();
  await page.getByRole('button', { name: 'I have copied the token' }).click();
  await until(async () => expect(await selectIn(page, 'Member').textContent()).toMatch(/^ben · /));
  await choose(page, 'Agent', 'Another command');
  await app.pickPath(join(app.home, 'agent.sh'));
  await page.getByRole('button', { name: 'Choose the program' }).click();
  await app.pickPath(work);
  await page.getByRole('button', { name: 'Choose the folder' }).click();
  await until(async () => expect(await page.getByLabel('Folder', { exact: true }).inputValue()).toBe(work));
  await page.getByLabel('Arguments for the agent').fill(notes);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('hello from the agent').waitFor();
  await page.getByText('a word of complaint').waitFor();
  await row('working').waitFor();
  expect(await page.getByRole('link', { name: 'Activity of ben' }).getAttribute('href')).toContain('ben');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText('ben of "Harbour" at').waitFor();
  expect(await app.windows()).toHaveLength(1);
  expect((await app.said()).filter((one) => one.startsWith('notification'))).toEqual([]);
  expect(await runTokens()).toHaveLength(1);
});

test('stays at the end of the output until the reader moves up, and again when the reader comes back', async () => {
  await page.getByRole('tab', { name: 'Transcript' }).click();
  const output = page.getByRole('group', { name: 'Transcript of ben' });
  const feed = async (text: string): Promise<void> => {
    appendFileSync(join(notes, 'feed'), Array.from({ length: 60 }, (_, n) => `${text} ${n}\n`).join(''));
    await output.getByText(`${text} 59`, { exact: true }).waitFor({ state: 'attached' });
  };
  const place = () =>
    output.evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
      top: Math.round(scrollTop),
      isAtEnd: scrollHeight - scrollTop - clientHeight < 2,
    }));
  await feed('first');
  expect((await place()).isAtEnd).toBe(true);
  await output.evaluate((one) => one.scrollBy(0, -300));
  const { top } = await place();
  await feed('second');
  expect(await place()).toEqual({ top, isAtEnd: false });
  await output.evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await feed('third');
  expect((await place()).isAtEnd).toBe(true);
  await page.getByRole('tab', { name: 'Log' }).click();
});

test('puts no token into arguments, the agent’s environment, or its registry file', async () => {
  const runner = pidOf('runner');
  const environment = readFileSync(`/proc/${runner}/environ`, 'utf8').split('\0');
  const bearer = environment.find((one) => one.startsWith('SVC_TOKEN='))?.slice('SVC_TOKEN='.length) ?? '';
  expect(bearer).toMatch(/^svc_/);
  for (const name of ['env', 'registry', 'runner-arguments']) {
    expect(note(name)).not.toContain(bearer);
    expect(note(name)).not.toContain('SVC_TOKEN');
  }
  expect(note('env')).not.toMatch(/^(?:SVC_URL|SVC_PORT|VITEST)/m);
  // The folders of the login shell.
  expect(note('env')).toContain(`PATH=${join(app.home, 'own-bin')}:`);
  expect(JSON.parse(note('registry'))).toMatchObject({
    mcpServers: { x: { command: 'none' }, svc: { args: [expect.any(String), 'mcp-bridge'] } },
  });
  for (const name of ['agent-tokens.json', 'recent-agents.json']) {
    const path = join(app.paths.dataDir, name);
    expect(readFileSync(path, 'utf8')).not.toContain(bearer);
    expect(statSync(path).mode & 0o777).toBe(privateMode);
  }
});

test('accepts no path or command from a page, only what a dialog or the list of recent runs named', async () => {
  const start = (over: object) =>
    page.evaluate(
      `window.muster.startAgent(${JSON.stringify({
        member: 'ben',
        kind: 'command',
        folder: '/tmp',
        program: null,
        args: [],
        isUnattended: false,
        modelUrl: null,
        ...over,
      })})`,
    );
  expect(await start({})).toMatchObject({ ok: false, code: 'bad_request' });
  expect(await start({ folder: crypto.randomUUID(), program: crypto.randomUUID() })).toMatchObject({
    ok: false,
    message: 'the folder is no longer known; choose it again',
  });
  expect(await start({ folder: crypto.randomUUID(), modelUrl: 'http://a:b@c/' })).toMatchObject({
    ok: false,
    code: 'bad_request',
  });
});

test('shows the runner’s own sentence for a second run of the same member', async () => {
  await page.getByRole('button', { name: 'Run ben, agent.sh in work', exact: true }).click();
  await row('failed with exit code 75').waitFor();
  await page
    .getByRole('list', { name: 'Agents on this computer' })
    .getByText(/ben runs on .* since/)
    .waitFor();
});

test('ends the other run of the same member with Take over', async () => {
  const before = pidOf('pid');
  await page.getByRole('button', { name: 'Take over' }).click();
  await until(() => expect(pidOf('pid')).not.toBe(before));
  expect(isGone(before)).toBe(true);
  await row('working').waitFor();
  await row('failed with exit code 75').waitFor();
  await page.getByRole('button', { name: 'Remove ben from the list' }).click();
  await until(async () => expect(await row('failed with exit code 75').count()).toBe(0));
});

test('ends a run and starts it again with Restart', async () => {
  const before = pidOf('pid');
  await page.getByRole('button', { name: 'Restart ben' }).click();
  await until(() => expect(pidOf('pid')).not.toBe(before));
  expect(isGone(before)).toBe(true);
  await row('working').waitFor();
  expect(await runTokens()).toHaveLength(1);
});

test('restores .mcp.json byte for byte and revokes the token with Stop in the tray', async () => {
  await app.choose('Running agents', 'ben', 'Stop');
  await row('stopped').waitFor();
  await untilAsBefore();
  expect(isGone(pidOf('pid'))).toBe(true);
  await until(async () => expect(await runTokens()).toEqual([]));
  await until(async () => expect((await labelsOf(app)).join()).not.toContain('Running agents'));
});

test('repeats a recent run from the tray', async () => {
  const before = pidOf('pid');
  await app.choose('Run agent', 'ben');
  await until(() => expect(pidOf('pid')).not.toBe(before));
  await until(async () => expect((await labelsOf(app)).join()).toContain('Running agents (1)'));
});

test('asks before it quits while an agent runs; Cancel keeps everything running', async () => {
  await app.quit();
  await until(async () => expect(await app.said()).toContain('box An agent is running'));
  expect(isGone(pidOf('pid'))).toBe(false);
  expect((await app.said()).at(-1)).not.toMatch(/^exit/);
});

test('asks nobody when the system shuts down: it stops the agent, restores its files, and revokes its token', async () => {
  await app.power('shutdown');
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
  expect((await app.said()).filter((one) => one === 'box An agent is running')).toHaveLength(1);
  await untilAsBefore();
  expect(isGone(pidOf('pid'))).toBe(true);
  expect(isGone(pidOf('runner'))).toBe(true);
  expect(existsSync(join(app.paths.dataDir, 'agent-tokens.json'))).toBe(false);
  const log = readFileSync(join(app.paths.logsDir, 'desktop.log'), 'utf8');
  expect(log).not.toContain('could not be revoked');
});
