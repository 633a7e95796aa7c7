/** Activity of the team and of one member (specification/console.md#activity). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exchange, http } from '../../broker/features/activity/testing/activity-team.ts';
import { choose, optionsOf, selectIn } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const start = Date.now() - 3_600_000;
let shared: ConsoleTeam;
let oldest: number;
showPagesOfFailures(() => shared?.browser);

const upload = (name: string, ...events: object[]) =>
  shared.team.as(name).call('uploadActivity', { params: { name }, body: { events: events as never } });
const host = (ts: number, name: string, over: object = {}) => http(ts, '', { host: name, ...over });
const heavy = 'A long history. '.repeat(20_000);
const saying = (ts: number, text: string) =>
  exchange(ts, {
    request: {
      ...{ system: null, tools: null, maxTokens: 100, temperature: null },
      messages: [{ role: 'user', content: [{ type: 'text', text: heavy }] }],
    },
    response: {
      messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
      ...{ stopReason: 'end_turn', status: 200, usage: null },
    },
  });

beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], coder: [], tester: [] } });
  await upload('coder', saying(start, 'The very first words'));
  const { activity } = await shared.team
    .as('coder')
    .call('activitySummaries', { params: { name: 'coder' }, query: {} });
  oldest = activity[0]?.id ?? 0;
  await upload('coder', ...Array.from({ length: 120 }, (_, n) => host(start + 1 + n, `old-${n}.example`)));
  await upload('tester', host(start + 500, 'broken.example', { status: 503 }));
  await upload('coder', saying(start + 600, 'The newest words'));
});
afterAll(() => shared?.stop());

it('opens an old row by its address, and loads bodies only then', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  const bytesByPath = new Map<string, number>();
  page.on('response', async (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.includes('/activity/')) return;
    if (pathname.endsWith('/stream')) return;
    bytesByPath.set(pathname, (await response.body().catch(() => Buffer.alloc(0))).length);
  });
  await page.goto(`/app/activity?member=coder&row=${oldest}`);
  const dialog = page.getByRole('dialog', { name: 'Model request of coder' });
  await dialog.getByText('The very first words').first().waitFor();
  await dialog.getByText(/^\d{1,2} \w{3,4} \d{4}, \d{2}:\d{2}:\d{2}$/).waitFor();
  await expect.poll(() => bytesByPath.get('/members/coder/activity/summaries') ?? 0).toBeGreaterThan(0);
  expect(bytesByPath.get('/members/coder/activity/summaries')).toBeLessThan(heavy.length / 4);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('list', { name: 'Activity of coder' }).getByText('The newest words').waitFor();
  expect(page.url()).not.toContain('row=');
  await page.goto('/app/activity?member=coder&row=999999');
  await page.getByRole('dialog').getByRole('alert').getByText('no such activity').waitFor();
  expect(errors.filter((one) => !one.includes('404'))).toEqual([]);
  await context.close();
});

it('shows the activity of everybody, newest first and live, filters what failed, and pages', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/activity' });
  const list = page.getByRole('list', { name: 'Activity of the team' });
  const row = (text: string) => list.getByRole('listitem').filter({ hasText: text });
  await row('The newest words').getByText('coder').waitFor();
  await row('broken.example').getByText('web request failed').waitFor();
  await upload('tester', host(start, 'late.example'));
  await expect.poll(() => list.getByRole('listitem').first().textContent()).toContain('late.example');
  const scroller = list.locator('..');
  await expect
    .poll(async () => {
      await scroller.evaluate((it) => it.scrollTo(0, it.scrollHeight));
      return row('The very first words').count();
    })
    .toBe(1);
  await page.getByRole('checkbox', { name: 'Only what failed' }).check();
  await row('broken.example').waitFor();
  await row('late.example').waitFor({ state: 'detached' });
  expect(await list.getByRole('listitem').count()).toBe(1);
  await upload('coder', host(start, 'also-broken.example', { status: 500 }), host(start, 'fine.example'));
  await row('also-broken.example').waitFor();
  expect(await row('fine.example').count()).toBe(0);
  await row('also-broken.example').getByRole('link').click();
  await page.getByRole('dialog', { name: 'Request of coder' }).getByText('also-broken.example').waitFor();
  await page.keyboard.press('Escape');
  await choose(page, 'Member', 'tester');
  await page.getByRole('list', { name: 'Activity of tester' }).getByText('broken.example').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('is the second tab of Agents, which the shortcut and the palette open, and no part of Admin', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  const list = page.getByRole('list', { name: 'Activity of the team' });
  const isShown = async () => {
    await page.waitForURL('**/app/activity');
    await list.getByText('The newest words').waitFor();
    expect(await tab('All activity').getAttribute('aria-selected')).toBe('true');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Agents');
    expect(await navigation.locator('[aria-current=page]').allTextContents()).toEqual(['Agents']);
  };
  expect(await navigation.getByRole('link', { name: 'Activity' }).count()).toBe(0);
  await tab('Fleet').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await isShown();
  // The tabs stay while their content changes, so the focus does, too.
  expect(await tab('All activity').evaluate((it) => it.matches(':focus'))).toBe(true);
  await tab('Fleet').click();
  await page.waitForURL('**/app/agents');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await isShown();
  await page.goBack();
  await page.waitForURL('**/app/agents');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: /^Search screens/ }).fill('All activity');
  await page.getByRole('option', { name: /^All activity/ }).click();
  await isShown();
  expect(errors).toEqual([]);
  await context.close();
});

it('keeps each filter of an address, and says in words which model request failed', async () => {
  await upload('coder', exchange(start + 700, { response: null }));
  const { page, context, errors } = await shared.open('ada', {
    path: `/app/activity?member=coder&kind=llm_exchange&from=${start + 650}`,
  });
  const rows = page.getByRole('list', { name: 'Activity of coder' }).getByRole('listitem');
  await rows.getByText('model request failed', { exact: true }).waitFor();
  expect(await rows.count()).toBe(1);
  expect(await selectIn(page, 'Member').textContent()).toBe('coder');
  expect(await selectIn(page, 'Kind').textContent()).toBe('model request');
  expect(errors).toEqual([]);
  await context.close();
});

it('shows other members only their own activity', async () => {
  const { page, context, errors } = await shared.open('tester', { path: '/app/activity' });
  await page.getByRole('list', { name: 'Activity of tester' }).getByText('broken.example').waitFor();
  const options = await optionsOf(page, 'Member');
  expect(await options.allTextContents()).not.toContain('Everybody');
  expect(await options.allTextContents()).toContain('tester');
  expect(errors).toEqual([]);
  await context.close();
});
