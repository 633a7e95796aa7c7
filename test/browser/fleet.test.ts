/** The agents of the team in the browser (specification/console.md#agents). */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import type { TestStream } from '../../broker/testing/test-stream.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { keepWorking } from './testing/keep-working.ts';

let shared: ConsoleTeam;
const streams: TestStream[] = [];
/** A runner renews its lease. */
const leases: NodeJS.Timeout[] = [];
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
    members: { ada: ['admin'], ben: [], coder: [], tester: [], writer: [] },
  });
  const { team } = shared;
  for (const name of ['coder', 'tester', 'writer']) {
    const body = { runId: randomUUID(), host: `${name}-host`, agent: 'Claude Code 2' };
    await team.as(name).call('takeRun', { body });
    leases.push(
      setInterval(
        () =>
          void team
            .as(name)
            .call('takeRun', { body })
            .catch(() => undefined),
        5000,
      ),
    );
  }
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
  for (const lease of leases) clearInterval(lease);
  for (const stream of streams) stream.close();
  await shared?.stop();
});

const table = (page: Page) => page.getByRole('table', { name: 'Agents', exact: true });
const agent = (page: Page, name: string) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const rowLink = (page: Page, name: string) => table(page).getByRole('link', { name, exact: true });
const transcript = (page: Page, name: string) => page.getByRole('region', { name: `Transcript of ${name}` });
const focusedRow = (page: Page) => page.evaluate('document.activeElement.dataset.row');
it('lists the agents in one table, one line each, those that need somebody first', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  await using _working = await keepWorking(shared.team, 'coder');
  const coder = agent(page, 'coder');
  await coder.getByText('working', { exact: true }).waitFor();
  expect(await table(page).getByRole('columnheader').allTextContents()).toEqual([
    ...['Agent', 'State', 'Objective', 'Last action', 'Tokens today', 'Host'],
  ]);
  await coder.getByText('Build the parser').waitFor();
  await coder.getByText('Bash', { exact: true }).waitFor();
  expect(await coder.getByRole('cell').allTextContents()).toEqual([
    ...['working', 'Build the parser', expect.stringMatching(/^Bash/), '4.2k', 'coder-host'],
  ]);
  await agent(page, 'tester').getByText('waiting for ben').waitFor();
  await agent(page, 'writer').getByText('offline').waitFor();
  expect(await table(page).getByRole('rowheader').getByRole('link').allTextContents()).toEqual([
    ...['tester', 'coder', 'writer'],
  ]);
  for (const name of ['coder', 'tester', 'writer']) {
    const { height = 0 } = (await agent(page, name).boundingBox()) ?? {};
    expect(height).toBeGreaterThanOrEqual(44);
    expect(height).toBeLessThan(48);
  }
  // The table fills the content, without a box around it.
  const main = await page.getByRole('main').boundingBox();
  expect((await table(page).boundingBox())?.width).toBe(main?.width);
  expect(errors).toEqual([]);
  await context.close();
});

it('has two lines per agent at 360 px, in reach of a thumb, and nothing is wider than the screen', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents', width: 360 });
  const tester = agent(page, 'tester');
  const name = await rowLink(page, 'tester').boundingBox();
  const state = await tester.getByText('waiting for ben').boundingBox();
  const objective = await tester.getByText('Test the parser').boundingBox();
  expect(Math.abs((state?.y ?? 0) - (name?.y ?? 0))).toBeLessThan(6);
  expect(objective?.y).toBeGreaterThan((name?.y ?? 0) + 10);
  expect((await tester.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect(await tester.getByText('tester-host').isVisible()).toBe(false);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  // The whole row opens the transcript, which takes the place of the table.
  await tester.getByText('Test the parser').click({ force: true });
  await transcript(page, 'tester').waitFor();
  expect(await table(page).isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Back to the agents' }).click();
  await table(page).waitFor();
  await expect.poll(() => focusedRow(page)).toBe('tester');
  expect(page.url()).not.toContain('agent=');
  // A model request that failed takes the place of the objective.
  await upload('tester', exchange(Date.now(), { response: null }));
  await tester.getByText('Failed request to its model').waitFor();
  expect(await tester.getByText('Test the parser').isVisible()).toBe(false);
  expect(errors).toEqual([]);
  await context.close();
});

it('says at its head what needs the reader, and says that nothing does only when the inbox was read', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  const need = page.getByRole('main').getByText('1 item here needs you: Blocked: Test the parser.');
  const none = page.getByText('Your inbox has nothing about coder.');
  for (const path of [
    ...['/app/agents', '/app/activity', '/app/agents?agent=tester'],
    '/app/admin/people?q=%22tester%22',
  ]) {
    await page.goto(path);
    await need.waitFor();
  }
  await page.goto('/app/admin/people?member=tester');
  await need.getByRole('link', { name: 'Blocked: Test the parser' }).click();
  await page.getByRole('region', { name: 'Opened item' }).getByText('Test the parser').first().waitFor();
  for (const path of [
    '/app/agents?agent=coder',
    '/app/admin/people?member=coder',
    '/app/activity?member=coder',
  ]) {
    await page.goto(path);
    await none.waitFor();
  }
  expect(errors).toEqual([]);
  await page.route('**/inbox', (route) => route.fulfill({ status: 400, body: '{}' }));
  const refused = page.waitForResponse('**/inbox');
  await page.goto('/app/agents?agent=coder');
  await transcript(page, 'coder').getByRole('link', { name: 'Build the parser' }).waitFor();
  await refused;
  expect(await none.count()).toBe(0);
  await context.close();
});

it('says that an agent without work is online, and whose tokens are counted', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  await agent(page, 'coder').getByText('online, idle', { exact: true }).waitFor();
  const tokens = page.getByRole('region', { name: 'Tokens per day of all members' });
  await tokens.getByRole('heading', { name: /people included/ }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

const bottomsOfFirstTokens = `[...[...document.querySelectorAll('tbody')].at(-1).rows[0].cells].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell.firstChild);
  return range.getBoundingClientRect().bottom;
})`;

it.each([
  { width: 1024, hosts: 0 },
  { width: 1280, hosts: 1 },
])(
  'has room for the host only at 1280 px, two lines for a long title, and one baseline per row of tokens, at $width px',
  async ({ width, hosts }) => {
    const { page, context } = await shared.open('ada', { path: '/app/agents', width });
    await agent(page, 'tester').getByText('waiting for').waitFor();
    expect(await table(page).getByRole('columnheader', { name: 'Host' }).count()).toBe(hosts);
    await page
      .getByRole('region', { name: 'Tokens per day of all members' })
      .getByRole('row')
      .nth(1)
      .waitFor();
    const bottoms = (await page.evaluate(bottomsOfFirstTokens)) as number[];
    expect(Math.max(...bottoms) - Math.min(...bottoms)).toBeLessThan(2);
    const heightOf = (title: string) =>
      agent(page, 'tester')
        .getByRole('cell')
        .nth(1)
        .evaluate((cell, text) => {
          cell.textContent = text;
          return cell.getBoundingClientRect().height;
        }, title);
    const oneLine = await heightOf('Short');
    expect(await heightOf('A long title '.repeat(20))).toBe(oneLine * 2);
    await context.close();
  },
);

it('says on the page of a member whether it needs an authenticator', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/people?member=coder' });
  await page.getByText('needs no authenticator').waitFor();
  await page.goto('/app/admin/people?member=ben');
  await page.getByText('no authenticator, so no login with codes').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('follows live, and says in the row when an agent repeats itself', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  await using _working = await keepWorking(shared.team, 'coder');
  const coder = agent(page, 'coder');
  await coder.getByText('working', { exact: true }).waitFor();
  expect(await coder.getByText('may be stuck').count()).toBe(0);
  for (let n = 2; n < 6; n++) await upload('coder', calling(n, 'npm test', 'exit 1'));
  await coder.getByText('may be stuck').waitFor();
  await coder.getByText(/It called Bash \d times with the same result/).waitFor();
  await expect.poll(() => table(page).getByRole('link').first().textContent()).toBe('coder');
  await upload('coder', calling(9, 'npm run lint', 'all is well'));
  await coder.getByText('may be stuck').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('moves between rows by arrow keys, and opens and closes the transcript beside the table by keyboard', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  await rowLink(page, 'tester').focus();
  await page.keyboard.press('ArrowDown');
  const second = await focusedRow(page);
  expect(second).not.toBe('tester');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => focusedRow(page)).toBe('tester');
  await page.keyboard.press('Enter');
  const panel = transcript(page, 'tester');
  await panel.getByRole('heading', { name: 'tester' }).waitFor();
  expect(page.url()).toContain('agent=tester');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await panel.getByText('waiting for ben').waitFor();
  await panel.getByRole('link', { name: 'Test the parser', exact: true }).waitFor();
  expect(await panel.getByRole('link', { name: 'Its activity' }).getAttribute('href')).toBe(
    '/app/activity?member=tester',
  );
  // The table stays, with its essential columns.
  expect(await table(page).getByRole('columnheader').allTextContents()).toEqual(['Agent', 'State']);
  await rowLink(page, 'coder').click();
  await transcript(page, 'coder').waitFor();
  await page.keyboard.press('Escape');
  await transcript(page, 'coder').waitFor({ state: 'detached' });
  await expect.poll(() => focusedRow(page)).toBe('coder');
  expect(new URL(page.url()).search).toBe('');
  await rowLink(page, 'tester').click();
  await transcript(page, 'tester').getByRole('link', { name: 'Message tester' }).click();
  await page.waitForURL('**/conversations/dm%3Atester');
  expect(errors).toEqual([]);
  await context.close();
});

it('shows the transcript of an agent live, with edits as diffs, and leads to the whole request', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents?agent=coder' });
  const panel = transcript(page, 'coder');
  await panel.getByText('npm test').first().waitFor();
  const input = { file_path: 'src/parser.ts', old_string: 'return a;', new_string: 'return b;' };
  const response = {
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'Edit', input }] }],
    ...{ stopReason: 'tool_use', status: 200, usage },
  };
  await upload('coder', exchange(at + 20, { response }));
  const edit = panel.getByRole('group', { name: /^Edit of src\/parser.ts: 1 line added, 1 line removed/ });
  await edit.getByText('return b;').waitFor();
  await panel.getByRole('link', { name: 'Details' }).last().click();
  await page.getByRole('dialog', { name: 'Model request of coder' }).getByText('src/parser.ts').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('reads as a conversation: Markdown, and each call in one line with its result folded', async () => {
  const turn = (n: number, got: object[], said: object[]) =>
    exchange(at + n, {
      request: {
        ...{ system: null, tools: null, maxTokens: 100, temperature: null },
        messages: [{ role: 'user', content: got }],
      },
      response: {
        messages: [{ role: 'assistant', content: said }],
        ...{ stopReason: 'tool_use', status: 200, usage },
      },
    });
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
  const result = (toolUseId: string, text: string, isError: boolean) => ({
    ...{ type: 'tool_result', toolUseId, isError, content: [{ type: 'text', text }] },
  });
  await upload(
    'writer',
    turn(
      1,
      [{ type: 'text', text: 'Write the *guide*' }],
      [
        { type: 'text', text: 'I read the **old** one.' },
        use('a', 'Read', { file_path: '/docs/guide.md', limit: 5 }),
        use('b', 'mcp__svc__send', { to: 'ada', body: 'I begin' }),
      ],
    ),
    turn(2, [result('a', 'no such file', true), result('b', 'sent as 7', false)], []),
  );
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents?agent=writer' });
  const panel = transcript(page, 'writer');
  expect(await panel.locator('strong', { hasText: 'old' }).textContent()).toBe('old');
  await panel.getByRole('group', { name: 'Text for the agent' }).locator('em').waitFor();
  const read = panel.locator('details').filter({ hasText: '/docs/guide.md' });
  const send = panel.locator('details').filter({ hasText: 'I begin' });
  expect(await read.locator('summary > *').allTextContents()).toEqual(
    expect.arrayContaining(['Read', '/docs/guide.md', 'tool error']),
  );
  expect(await send.locator('summary').textContent()).toBe('sendto ada: I begin');
  expect((await send.boundingBox())?.height).toBeLessThan(32);
  expect(await send.getByText('sent as 7').isVisible()).toBe(false);
  await send.locator('summary').click();
  await send.getByText('sent as 7').waitFor();
  expect(await panel.textContent()).not.toMatch(/"type"|"body"/);
  expect(errors).toEqual([]);
  await context.close();
});

it('follows the end of the transcript only while the reader is there', async () => {
  const says = (n: number) =>
    exchange(at + n, {
      response: {
        messages: [{ role: 'assistant', content: [{ type: 'text', text: `Part ${n}\n\n`.repeat(20) }] }],
        ...{ stopReason: 'end_turn', status: 200, usage },
      },
    });
  await upload('tester', says(1), says(2), says(3));
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents?agent=tester' });
  const log = transcript(page, 'tester').getByRole('group', { name: 'Model requests of tester' });
  const left = () =>
    log.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
  await log.getByText('Part 3').first().waitFor();
  await expect.poll(left).toBeLessThan(2);
  await upload('tester', says(4));
  await log.getByText('Part 4').first().waitFor();
  await expect.poll(left).toBeLessThan(2);
  // The box becomes lower, and a scroll event that was on its way arrives before the log can follow.
  await log.evaluate((it) => {
    const above = it.ownerDocument.createElement('div');
    above.style.cssText = 'flex: none; height: 100px';
    it.before(above);
    it.dispatchEvent(new Event('scroll'));
  });
  await expect.poll(left).toBeLessThan(2);
  await log.evaluate((it) => it.scrollTo(0, 100));
  await expect.poll(left).toBeGreaterThan(200);
  await upload('tester', says(5));
  await log.getByText('Part 5').first().waitFor({ state: 'attached' });
  expect(await log.evaluate((it) => it.scrollTop)).toBe(100);
  expect(errors).toEqual([]);
  await context.close();
});

it('shows the state of agents, but not their activity, to members who may not see it', async () => {
  const { page, context, errors } = await shared.open('ben', { path: '/app/agents' });
  await agent(page, 'tester').getByText('waiting for ben').waitFor();
  expect(await table(page).getByRole('columnheader').allTextContents()).toEqual([
    ...['Agent', 'State', 'Objective', 'Host'],
  ]);
  await rowLink(page, 'tester').click();
  const panel = transcript(page, 'tester');
  await panel.getByText('Only members who may see all activity see the transcript of tester.').waitFor();
  await panel.getByRole('link', { name: 'Message tester' }).waitFor();
  expect(await panel.getByRole('link', { name: 'Its activity' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^(Stop|Interrupt)/ }).count()).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
});
