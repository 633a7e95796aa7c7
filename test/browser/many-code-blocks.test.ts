/** A message of very many blocks of code is shown as plain text, so that it does not stop the page. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], fenced: [], indented: [] } });
});
afterAll(() => shared?.stop());

it.each([
  // 1,950 blocks of nothing.
  ['fenced', '```\n'.repeat(3900), '``` ```'],
  // 1,300 blocks that are indented.
  ['indented', '***\n    code\n'.repeat(1200), '*** code'],
])('very many %s blocks are shown as plain text', async (member, body, words) => {
  const push = (text: string) => shared.team.as(member).call('push', { body: { to: 'ada', body: text } });
  for (let n = 0; n < 4; n++) await push(body);
  await push('```\nthe only block\n```');
  const { page, context, errors } = await shared.open('ada', { path: `/app/conversations/dm:${member}` });
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByText('the only block').waitFor({ timeout: 100_000 });
  await expect.poll(() => log.locator('pre').count()).toBe(1);
  await log.evaluate((element) => element.scrollTo(0, 0));
  await log.getByText(words).first().waitFor();
  expect(await log.locator('pre').count()).toBeLessThanOrEqual(1);
  expect(errors).toEqual([]);
  await context.close();
});
