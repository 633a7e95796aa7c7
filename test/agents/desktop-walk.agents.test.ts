/**
 * One walk through everything that an operator does: the first start, LAN access, a teammate's machine that
 * joins, the real Claude Code from the run menu, a message from that machine that makes it work, and an end
 * that leaves nothing behind (specification/desktop.md#process-and-lifetime).
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHome, type Home, type Running } from '../../bin/testing/command.ts';
import { freePort } from '../../broker/testing/free-port.ts';
import { storeRows } from '../../broker/testing/store-rows.ts';
import { startDesktop } from '../desktop/testing/desktop-app.ts';
import type { DesktopApp } from '../desktop/testing/engine.ts';
import { setUpByHand } from '../desktop/testing/first-start.ts';
import { call } from '../desktop/testing/prepared-home.ts';
import { until } from '../desktop/testing/until.ts';
import { pathWith } from './installed.ts';
import { type ScriptedModel, startScriptedAnthropic } from './scripted-anthropic.ts';

const registry = '{ "mcpServers": {} ,\r\n"a": 1}\n\n';
const home = mkdtempSync(join(tmpdir(), 'muster-desktop-'));
const work = join(home, 'work');
const configPath = join(home, 'config', 'svc', 'svc.json');

let app: DesktopApp;
let page: Page;
let model: ScriptedModel;
let laptop: Home;
let device: Running;
let httpsPort = 0;
let joinCommand = '';

const start = (): Promise<DesktopApp> =>
  startDesktop({
    home,
    hasKeychain: true,
    env: {
      ANTHROPIC_API_KEY: 'sk-ant-made-up-for-this-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  });
const consolePage = async (): Promise<Page> => {
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  return app.page(0);
};
const runTokens = (): object[] =>
  storeRows(join(home, 'data', 'svc', 'main.db'), "SELECT label FROM token WHERE label LIKE 'run on %'");
/** The command lines of all processes that have this home, except the windows of the engine. */
function running(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    })
    .filter((command) => command !== '' && !/--type=|--remote-debugging|chrome_crashpad/.test(command));
}

beforeAll(async () => {
  const [agents] = pathWith('claude-code').split(':');
  mkdirSync(work);
  writeFileSync(join(work, '.mcp.json'), registry);
  for (const name of ['.profile', '.bash_profile', '.zprofile'])
    writeFileSync(join(home, name), `export PATH="${agents}:$PATH"\n`);
  model = await startScriptedAnthropic((request) =>
    JSON.stringify(request.messages.at(-1)).includes('tool_result')
      ? [{ type: 'text', text: 'the tide is told' }]
      : [{ type: 'tool_use', name: 'mcp__svc__send', input: { to: 'kim', body: 'high water at noon' } }],
  );
  laptop = await createHome();
  httpsPort = await freePort();
  app = await start();
});

afterAll(async () => {
  await app?.close();
  await laptop?.remove();
  await model?.close();
  rmSync(home, { recursive: true, force: true });
});

test('leads through the setup wizard, with an authenticator, into the console at the first start', async () => {
  await setUpByHand(await consolePage());
});

test('recognizes the same person after a restart; turning on LAN access shows how to join', async () => {
  await app.quit();
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
  await app.close();
  // On loopback: tests open no port to the network.
  const configured = JSON.parse(readFileSync(configPath, 'utf8'));
  const listen = { ...configured.listen, httpsHost: '127.0.0.1', httpsPort };
  writeFileSync(configPath, JSON.stringify({ ...configured, listen }), { mode: 0o600 });
  app = await start();
  page = await consolePage();
  await app.choose('LAN access');
  await page.getByRole('button', { name: 'Turn LAN access on' }).click();
  await page.getByText('On: other machines on the network can reach the broker at').waitFor();
  joinCommand = await page.getByLabel('Join command', { exact: true }).inputValue();
  expect(joinCommand).toMatch(/^muster connect --url https:\S+ --fingerprint sha256:[0-9a-f]{64}$/);
});

test('refuses a key other than the one in the join command before anything is sent', async () => {
  const wrong = joinCommand.replace(/[0-9a-f]{64}$/, 'f'.repeat(64)).split(' ');
  const refused = await laptop.run(wrong.slice(1));
  expect(refused.code).not.toBe(0);
  expect(refused.stdout).not.toContain('Code:');
  expect((await app.windows()).length).toBe(1);
});

test('lets a second machine join with the join command after its code is approved for a new member', async () => {
  device = laptop.start([...joinCommand.split(' ').slice(1), '--label', 'laptop']);
  await device.shows('enroll approve');
  const userCode = /Code: (\S+)/.exec(device.stdout())?.[1] ?? '';
  await until(async () => expect((await app.windows())[1]).toMatchObject({ isShown: true }));
  const popup = await app.page(1);
  await popup.getByRole('heading', { name: userCode }).waitFor();
  expect(popup.url()).toContain('/app/approve');
  await popup.getByLabel('New member').check();
  await popup.getByRole('textbox', { name: 'Name' }).fill('kim');
  await popup.getByLabel('Role', { exact: true }).fill('Harbour master');
  await popup.getByRole('button', { name: 'Approve device' }).click();
  expect(await device.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('as kim') });
  await until(async () => expect((await app.windows())[1]).toMatchObject({ isGone: true }));
});

test('starts Claude Code from the console as a member that is created there', async () => {
  await page.getByRole('link', { name: 'Agents' }).first().click();
  await page.getByRole('button', { name: 'Run an agent' }).first().click();
  // The program is found on the PATH of the login shell.
  await page.getByText(/^2\.\d+\.\d+ \(Claude Code\)$/).waitFor();
  await page.getByRole('button', { name: 'New member' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ben');
  await page.getByLabel('Role', { exact: true }).fill('Pilot');
  await page.getByRole('button', { name: 'Create member' }).click();
  await page.getByRole('button', { name: 'I have copied the token' }).click();
  await until(async () =>
    expect(await page.getByRole('combobox', { name: 'Member' }).textContent()).toMatch(/^ben · /),
  );
  await app.pickPath(work);
  await page.getByRole('button', { name: 'Choose the folder' }).click();
  await page.getByText('Advanced').click();
  await page.getByLabel('Model address').fill(model.url);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const agents = page.getByRole('list', { name: 'Agents on this computer' });
  await agents.getByText(/^Claude Code 2\./).waitFor();
  await agents.getByText('waiting', { exact: true }).waitFor();
  expect(runTokens()).toHaveLength(1);
  expect(readFileSync(join(work, '.mcp.json'), 'utf8')).not.toBe(registry);
});

test('makes Claude Code work on a direct message of the second machine: the answer arrives there, and the console shows the work', async () => {
  expect(await laptop.run(['push', '--to', 'ben', 'When is high water?'])).toMatchObject({ code: 0 });
  await page.getByText('the tide is told', { exact: true }).first().waitFor();
  await page.getByText('→ mcp__svc__send').waitFor();
  await page.getByRole('link', { name: 'Activity of ben' }).click();
  await page
    .getByRole('list', { name: 'Activity of ben' })
    .getByText(/calls send/)
    .waitFor();
  expect(JSON.stringify(model.requests)).toContain('When is high water?');
  expect((await laptop.run(['recent', '--with', 'ben'])).stdout).toContain('high water at noon');
  // The operator may not read direct messages between other members.
  const { messages } = (await call(page, 'GET', '/history?with=ben')) as { messages: unknown[] };
  expect(messages).toEqual([]);
});

test('asks before it quits; afterwards everything is as before, nothing runs, and the run’s token is gone', async () => {
  expect(running().join('\n')).toContain(' run --json ');
  await app.quit();
  await until(async () => expect(await app.said()).toContain('box An agent is running'));
  expect((await app.said()).at(-1)).toBe('box An agent is running');
  await app.answer(0);
  await app.quit();
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
  expect(readFileSync(join(work, '.mcp.json'), 'utf8')).toBe(registry);
  expect(readdirSync(work)).toEqual(['.mcp.json']);
  await until(() => expect(running()).toEqual([]));
  expect(runTokens()).toEqual([]);
  expect(existsSync(join(home, 'data', 'svc', 'agent-tokens.json'))).toBe(false);
  expect(await laptop.run(['roster'])).not.toMatchObject({ code: 0 });
});
