/** Thousands of marks on one letter are not shown, because laying them out stops the page for seconds. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], mal: [] } });
});
afterAll(() => shared?.stop());

it('at most 30 marks are on a letter, in text and in code, and the message stays as it is', async () => {
  const marks = '\u0301'.repeat(20_000);
  const body = `word${marks} and \`\`e${marks}\`\`\n\n\`\`\`\na${marks}\n\`\`\``;
  const bodies = [
    body.slice(0, 15_900),
    `e${'\u0301'.repeat(60_000)}`,
    `\`\`\`\na${marks.slice(0, 15_000)}\n\`\`\``,
  ];
  for (const text of bodies) await shared.team.as('mal').call('push', { body: { to: 'ada', body: text } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/dm:mal' });
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByText('59,970 marks hidden').waitFor();
  await expect.poll(() => log.getByText(/marks hidden/).count()).toBe(3);
  const runs = (await page.locator('body').textContent())?.match(/\u0301+/g) ?? [];
  const most = Math.max(...runs.map(({ length }) => length));
  expect(most).toBe(30);
  const { messages } = await shared.team.as('ada').call('history', { query: { with: 'mal' } });
  expect(messages.map((message) => message.body)).toEqual(bodies.toReversed());
  expect(errors).toEqual([]);
  await context.close();
});
