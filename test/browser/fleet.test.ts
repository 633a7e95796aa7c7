/** The agents of the team in the browser (specification/console.md#agents). */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import type { TestStream } from '../../broker/testing/test-stream.ts';
import { takeLease } from '../../runner/session/run-lease.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
const streams: TestStream[] = [];
showPagesOfFailures(() => shared?.browser);

const at = Date.now() - 60_000;
const usage = {
  ...{ inputTokens: 1000, outputTokens: 200, cacheReadInputTokens: 3000, cacheCreationInputTokens: 0 },
};
/** An exchange that calls a tool with this input, and carries this result of the call before. */
const calling = (n: number, input: string, result: string | null) =>
  exchange(at + n, {
    request: {
      ...{ system: null, tools: null, maxTokens: 100, temperature: null },
      messages: [
        {
          role: 'user',
          content: result === null ? [] : [{ type: 'tool_result', content: result }],
        },
      ],
    },
    response: {
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'Bash', input: { input } }] }],
      ...{ stopReason: 'tool_use', status: 200, usage },
    },
  });
const upload = (name: string, ...events: object[]) =>
  shared.team.as(name).call('uploadActivity', { params: { name }, body: { events: events as never } });

beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [], coder: [], tester: [], writer: [], stopper: [] },
  });
  const { team } = shared;
  for (const name of ['coder', 'tester', 'writer'])
    await team
      .as(name)
      .call('takeRun', { body: { runId: randomUUID(), host: `${name}-host`, agent: 'Claude Code 2' } });
  for (const name of ['coder', 'tester']) streams.push(await team.stream(name));
  const create = (title: string, assignee: string) =>
    team.as('ada').call('createObjective', {
      body: { title, outcome: 'It is done', assignee, body: '', watchers: [] } as never,
    });
  await create('Build the parser', 'coder');
  const { id } = await create('Test the parser', 'tester');
  await team.as('tester').call('updateObjective', {
    params: { id },
    body: { status: 'blocked', blockReason: '@ben has the password' },
  });
  await upload('coder', calling(1, 'npm test', null));
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await shared?.stop();
});

const agent = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Agents', exact: true }).getByRole('listitem', { name, exact: true });
/** A report of work ends after 30 seconds, and a runner repeats it. */
async function keepWorking(name: string): Promise<AsyncDisposable> {
  const report = () => shared.team.as(name).call('reportBusy', { body: { busy: true } });
  await report();
  const timer = setInterval(() => void report().catch(() => undefined), 5000);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await shared.team.as(name).call('reportBusy', { body: { busy: false } });
    },
  };
}

it.each([1280, 390])(
  'shows what each agent does, for whom it waits, and what it used, at %i px',
  async (width) => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/agents', width });
    await using _working = await keepWorking('coder');
    const coder = agent(page, 'coder');
    await coder.getByText('working', { exact: true }).waitFor();
    await coder.getByRole('link', { name: 'Build the parser' }).waitFor();
    await coder.getByText('coder-host').waitFor();
    await coder.getByText(/tokens in its context/).waitFor();
    await coder.getByText(/tokens today/).waitFor();
    await agent(page, 'tester').getByText('waiting for ben').waitFor();
    await agent(page, 'writer').getByText('offline').waitFor();
    expect(await agent(page, 'ben').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await agent(page, 'tester').getByRole('link', { name: 'Message tester' }).click();
    await page.waitForURL('**/conversations/dm%3Atester');
    expect(errors).toEqual([]);
    await context.close();
  },
);

it('follows live, and says when an agent repeats itself', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  await using _working = await keepWorking('coder');
  const coder = agent(page, 'coder');
  await coder.getByText('working', { exact: true }).waitFor();
  expect(await coder.getByText('may be stuck').count()).toBe(0);
  for (let n = 2; n < 6; n++) await upload('coder', calling(n, 'npm test', 'exit 1'));
  await coder.getByText('may be stuck').waitFor();
  await coder.getByText(/It called Bash \d times with the same result/).waitFor();
  await upload('coder', calling(9, 'npm run lint', 'all is well'));
  await coder.getByText('may be stuck').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('shows the transcript of an agent live, with edits as diffs, and leads to the whole exchange', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  await agent(page, 'coder').getByRole('link', { name: 'Transcript of coder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Transcript of coder' });
  await dialog.getByText('npm test').first().waitFor();
  const input = { file_path: 'src/parser.ts', old_string: 'return a;', new_string: 'return b;' };
  const response = {
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'Edit', input }] }],
    ...{ stopReason: 'tool_use', status: 200, usage },
  };
  await upload('coder', exchange(at + 20, { response }));
  const edit = dialog.getByRole('group', { name: /^Edit of src\/parser.ts: 1 line added, 1 line removed/ });
  await edit.getByText('return b;').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect
    .poll(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`))
    .toBe('Transcript of coder');
  await agent(page, 'coder').getByRole('link', { name: 'Transcript of coder' }).click();
  await dialog.getByRole('link', { name: 'Exchange' }).last().click();
  await page.getByRole('dialog', { name: 'Exchange of coder' }).getByText('src/parser.ts').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('asks a run to interrupt its agent, and to stop, and shows what it does until it reports otherwise', async () => {
  const client = shared.team.as('stopper');
  const refusals: string[] = [];
  const interruptions: string[] = [];
  const lease = await takeLease({
    ...{ client, runId: randomUUID(), member: 'stopper', agent: 'Codex 1', replaces: [], takeOver: false },
    ...{
      onRefused: ({ by }) => refusals.push(by),
      onInterrupt: (by) => interruptions.push(by),
      log: () => undefined,
      renewMs: 20,
    },
  });
  streams.push(await shared.team.stream('stopper'));
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  const row = agent(page, 'stopper');
  const interrupt = row.getByRole('button', { name: 'Interrupt stopper' });
  expect(await interrupt.isDisabled()).toBe(true);
  {
    await using _working = await keepWorking('stopper');
    await row.getByText('working', { exact: true }).waitFor();
    await interrupt.click();
    await row.getByText('Asked to interrupt').waitFor();
    await expect.poll(() => interruptions).toEqual(['ada']);
    expect(await row.getByText('working', { exact: true }).count()).toBe(1);
  }
  await row.getByText('Asked to interrupt').waitFor({ state: 'detached' });
  expect(await interrupt.isDisabled()).toBe(true);
  await row.getByRole('button', { name: 'Stop stopper' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop stopper' }).click();
  await row.getByText('Asked to stop').waitFor();
  await expect.poll(() => refusals[0]).toBe('lease');
  expect(await row.getByText('Codex 1').count()).toBe(1);
  await lease?.end();
  await row.getByText('Codex 1').waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Stop stopper' }).waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('shows the state of agents, but not their activity, to members who may not see it', async () => {
  const { page, context, errors } = await shared.open('ben', { path: '/app/agents' });
  await agent(page, 'tester').getByText('waiting for ben').waitFor();
  expect(await page.getByText(/tokens today/).count()).toBe(0);
  expect(await page.getByRole('link', { name: /^Transcript of/ }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Stop/ }).count()).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
});
