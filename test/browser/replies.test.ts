/** Answering a message: the console names it, shows what a message answers, and shows receipts live. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

it('answers a message by name, shows the quote, and shows live that it was answered', async () => {
  const ben = shared.team.as('ben');
  const { message: question } = await ben.call('push', { body: { to: 'ada', body: 'Where is the chart?' } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/dm:ben' });
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByText('Where is the chart?').waitFor();
  await log.getByRole('button', { name: 'Answer ben' }).click();
  await page.getByText('Answering ben: Where is the chart?').waitFor();
  await page.getByLabel('Message ben').fill('In the drawer');
  await page.getByRole('button', { name: 'Send' }).click();
  await log.getByRole('link', { name: 'ben: Where is the chart?' }).waitFor();
  expect(await page.getByText('Answering ben').count()).toBe(0);
  const { messages } = await ben.call('history', { query: { with: 'ada' } });
  expect(messages[0]).toMatchObject({ body: 'In the drawer', inReplyTo: question.id });

  const own = messages[0]?.id ?? '';
  await log.getByRole('button', { name: 'Show receipts' }).last().click();
  await page.getByText('stored, not delivered yet').waitFor();
  await ben.call('push', { body: { to: 'ada', body: 'Found it', inReplyTo: own, auto: true } });
  await page
    .getByLabel('Receipts', { exact: true })
    .getByText(/^answered/)
    .waitFor();
  await log.getByText('Final text of the agent’s turn').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
