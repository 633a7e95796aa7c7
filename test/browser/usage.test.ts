/** Tokens per agent and day on the Agents screen. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const dayMs = 86_400_000;
/** The page's clock is set to this time, so that no day ends while the test runs. */
const noon = (Math.floor(Date.now() / dayMs) - 0.5) * dayMs;

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], kim: [] } });
  await use('kim', 0, 500);
  await use('kim', 2, 40);
  await use('ben', 0, 70);
});
afterAll(() => shared?.stop());

/** An exchange that happened so many days ago and used `tokens` tokens in total. */
async function use(name: string, daysAgo: number, tokens: number): Promise<void> {
  const usage = {
    inputTokens: tokens - 6,
    outputTokens: 1,
    cacheReadInputTokens: 2,
    cacheCreationInputTokens: 3,
  };
  const response = { messages: [], stopReason: null, status: null, usage };
  const events = [exchange(noon - daysAgo * dayMs, { response })] as never;
  await shared.team.as(name).call('uploadActivity', { params: { name }, body: { events } });
}

const table = (page: Page) =>
  page.getByRole('table', { name: 'Model tokens of people and agents per UTC day' });
/** A member's row as text: the name, then seven days. */
const rowOf = (page: Page, name: string): Promise<string> =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name }) })
    .locator('th, td')
    .allTextContents()
    .then((cells) => cells.join(' '));
const asked = (page: Page): string[] => {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/assets/') && pathname.includes('/activity')) paths.push(pathname);
  });
  return paths;
};

describe('tokens per agent and day', () => {
  it('arrive as sums, without an exchange being read, and update within a minute', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
    await table(page).waitFor();
    const paths = asked(page);
    // Without the stream, nothing else fetches again; when the stream opens late, everything is fetched once
    // more.
    await page.route('**/subscribe**', () => undefined);
    await page.clock.install({ time: noon });
    await page.reload();
    await table(page).waitFor();
    expect(await rowOf(page, 'kim')).toBe('kim – – – – 40 – 500');
    expect(await rowOf(page, 'ben')).toBe('ben – – – – – – 70');

    await use('ben', 0, 30);
    await page.clock.fastForward(61_000);
    await expect.poll(() => rowOf(page, 'ben')).toBe('ben – – – – – – 100');
    expect(new Set(paths)).toEqual(new Set(['/activity/usage', '/activity/stream']));
    expect(errors).toEqual([]);
    await context.close();
  });

  it('are the member’s own for a member who may not see the activity of others', async () => {
    const { page, context, errors } = await shared.open('kim', { path: '/app/agents' });
    await table(page).waitFor();
    expect(await table(page).getByRole('rowheader').allTextContents()).toEqual(['kim']);
    expect(errors).toEqual([]);
    await context.close();
  });
});
