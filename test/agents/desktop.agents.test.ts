/** The real Claude Code, started from the run menu of the desktop app: a message gets it to work, its work is on the screen, quitting leaves nothing. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDesktop } from '../desktop/testing/desktop-app.ts';
import type { DesktopApp } from '../desktop/testing/engine.ts';
import { setUpByHand } from '../desktop/testing/first-start.ts';
import { call } from '../desktop/testing/prepared-home.ts';
import { until } from '../desktop/testing/until.ts';
import { pathWith } from './installed.ts';
import { type ScriptedModel, startScriptedAnthropic } from './scripted-anthropic.ts';

const registry = '{ "mcpServers": {} ,\r\n"a": 1}\n\n';
let app: DesktopApp;
let page: Page;
let model: ScriptedModel;
let work: string;

beforeAll(async () => {
  const [agents] = pathWith('claude').split(':');
  model = await startScriptedAnthropic((request) =>
    JSON.stringify(request.messages.at(-1)).includes('tool_result')
      ? [{ type: 'text', text: 'the tide is told' }]
      : [{ type: 'tool_use', name: 'mcp__svc__send', input: { to: 'ada', body: 'high water at noon' } }],
  );
  app = await startDesktop({
    env: {
      ANTHROPIC_API_KEY: 'sk-ant-made-up-for-this-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  });
  work = join(app.home, 'work');
  mkdirSync(work);
  writeFileSync(join(work, '.mcp.json'), registry);
  for (const name of ['.profile', '.bash_profile', '.zprofile'])
    writeFileSync(join(app.home, name), `export PATH="${agents}:$PATH"\n`);
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  page = await app.page(0);
  await setUpByHand(page);
  await call(page, 'POST', '/members', {
    name: 'ben',
    role: { title: 'Pilot', description: '' },
    instructions: '',
    permissions: [],
  });
});

afterAll(async () => {
  await app.close();
  await model.close();
});

test('the run menu finds Claude Code on the PATH of the login shell, and starts it as a member', async () => {
  await page.getByRole('link', { name: 'Agents' }).first().click();
  await page.getByRole('button', { name: 'Run an agent' }).click();
  await page.getByText(/^2\.\d+\.\d+ \(Claude Code\)$/).waitFor();
  await page.getByLabel('Member', { exact: true }).selectOption('ben');
  await app.pickPath(work);
  await page.getByRole('button', { name: 'Choose the folder' }).click();
  await page.getByText('Advanced').click();
  await page.getByLabel('Model address').fill(model.url);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const agents = page.getByRole('list', { name: 'Agents of this computer' });
  await agents.getByText(/^Claude Code 2\./).waitFor();
  await agents.getByText('waiting', { exact: true }).waitFor();
});

test('a message gets it to work: transcript, answer and activity are in the console', async () => {
  await call(page, 'POST', '/push', { to: 'ben', body: 'When is high water?' });
  await page.getByText('the tide is told').waitFor();
  await page.getByText('→ mcp__svc__send').waitFor();
  await page.getByRole('link', { name: 'Activity of ben' }).click();
  await page
    .getByRole('list', { name: 'Activity of ben' })
    .getByText(/calls mcp__svc__send/)
    .waitFor();
  const { messages } = (await call(page, 'GET', '/history?with=ben')) as { messages: { body: string }[] };
  expect(messages.map(({ body }) => body)).toContain('high water at noon');
});

test('quitting stops it, and everything it changed is as before', async () => {
  await app.answer(0);
  await app.quit();
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
  expect(await app.said()).toContain('box An agent is running');
  expect(readFileSync(join(work, '.mcp.json'), 'utf8')).toBe(registry);
  expect(readdirSync(work)).toEqual(['.mcp.json']);
});
