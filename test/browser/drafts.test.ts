/** A draft belongs to a member and a conversation, not to a tab: two tabs show the same one, and it is sent once. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], cy: [], dan: [], eve: [], fay: [] } });
});
afterAll(() => shared?.stop());

async function openTwo(member: string) {
  const { page, context, errors } = await shared.open('ada', { path: `/app/conversations/dm:${member}` });
  const other = await context.newPage();
  await other.goto(`/app/conversations/dm:${member}`);
  await text(other, member).waitFor();
  await text(page, member).waitFor();
  return { page, other, context, errors };
}
const text = (page: Page, member: string) => page.getByLabel(`Message ${member}`, { exact: true });
const sentTo = async (member: string) =>
  (await shared.team.as('ada').call('history', { query: { with: member } })).messages.map(({ body }) => body);

/** Holds back the messages that any tab sends until the returned function is called. */
async function holdMessages(context: BrowserContext) {
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await context.route('**/push', async (route) => {
    await isLetGo;
    await route.continue();
  });
  return letGo;
}

/** Holds back the next message of the tab, or the reply to it, until the returned function is called. */
async function holdNext(page: Page, what: 'request' | 'reply') {
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/push', async (route) => {
    const response = what === 'reply' ? await route.fetch() : null;
    await isLetGo;
    if (response === null) await route.continue();
    else await route.fulfill({ response });
  });
  return letGo;
}

it('shows in the other tab what is typed in one, also after it is loaded again, and is empty after it was sent', async () => {
  const { page, other, context, errors } = await openTwo('ben');
  await text(page, 'ben').fill('Half a tho');
  await expect.poll(() => text(other, 'ben').inputValue()).toBe('Half a tho');
  await other.reload();
  await expect.poll(() => text(other, 'ben').inputValue()).toBe('Half a tho');
  await text(other, 'ben').fill('Half a thought');
  await expect.poll(() => text(page, 'ben').inputValue()).toBe('Half a thought');
  await text(page, 'ben').press('Enter');
  await expect.poll(() => sentTo('ben')).toEqual(['Half a thought']);
  await expect.poll(() => text(page, 'ben').inputValue()).toBe('');
  await expect.poll(() => text(other, 'ben').inputValue()).toBe('');
  await other.reload();
  await text(other, 'ben').waitFor();
  expect(await text(other, 'ben').inputValue()).toBe('');
  expect(errors).toEqual([]);
  await context.close();
});

it('is sent once when both tabs send it at the same time', async () => {
  const { page, other, context, errors } = await openTwo('cy');
  await text(page, 'cy').fill('Only once');
  await expect.poll(() => text(other, 'cy').inputValue()).toBe('Only once');
  const letGo = await holdMessages(context);
  const asked = [page.waitForRequest('**/push'), other.waitForRequest('**/push')];
  await text(page, 'cy').press('Enter');
  await text(other, 'cy').press('Enter');
  await Promise.all(asked);
  letGo();
  for (const one of [page, other]) await expect.poll(() => text(one, 'cy').inputValue()).toBe('');
  expect(await sentTo('cy')).toEqual(['Only once']);
  await text(other, 'cy').fill('Only once');
  await text(other, 'cy').press('Enter');
  await expect.poll(() => sentTo('cy')).toEqual(['Only once', 'Only once']);
  expect(errors).toEqual([]);
  await context.close();
});

it.each([
  { member: 'eve', when: 'after the other tab has heard that it was sent', isHeard: true },
  { member: 'fay', when: 'before the other tab has heard that it was sent', isHeard: false },
])('is another message with other files: it stays to be sent again, $when', async ({ member, isHeard }) => {
  const { page, other, context, errors } = await openTwo(member);
  await text(page, member).fill('See the chart');
  await expect.poll(() => text(other, member).inputValue()).toBe('See the chart');
  const chart = { name: `${member}.txt`, mimeType: 'text/plain', buffer: Buffer.from('A chart') };
  await other.locator('input[type=file]').setInputFiles(chart);
  await other.getByRole('button', { name: `Remove ${member}.txt` }).waitFor();
  await expect.poll(() => other.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  const [first, second] = isHeard ? [other, page] : [page, other];
  const letGo = await holdNext(first, isHeard ? 'request' : 'reply');
  const asked = first.waitForRequest('**/push');
  await text(first, member).press('Enter');
  await asked;
  if (!isHeard) await expect.poll(() => sentTo(member)).toEqual(['See the chart']);
  await text(second, member).press('Enter');
  if (isHeard) {
    await expect.poll(() => text(page, member).inputValue()).toBe('');
    letGo();
  }
  await other.getByText('This text was already sent from another tab', { exact: false }).waitFor();
  if (!isHeard) {
    // A tab reads what another one stored a moment later, and would take the new draft for the one that it sent.
    const stored = `localStorage.getItem('muster.draft.ada.dm:${member}')`;
    await expect.poll(() => page.evaluate(stored)).toContain('again-');
    letGo();
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  }
  for (const one of [page, other])
    await expect.poll(() => text(one, member).inputValue()).toBe('See the chart');
  await text(other, member).press('Enter');
  for (const one of [page, other]) await expect.poll(() => text(one, member).inputValue()).toBe('');
  const { messages } = await shared.team.as('ada').call('history', { query: { with: member } });
  expect(messages.map(({ body }) => body)).toEqual(['See the chart', 'See the chart']);
  expect(messages.map(({ attachments }) => attachments.length).sort()).toEqual([0, 1]);
  expect(errors).toEqual([]);
  await context.close();
});

it('is a draft of its own in each conversation, and the oldest of many is forgotten', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/dm:dan' });
  await text(page, 'dan').fill('For dan');
  await page.goto('/app/conversations/dm:ben');
  await text(page, 'ben').waitFor();
  expect(await text(page, 'ben').inputValue()).toBe('');
  // Written as this browser would have done it long ago.
  await page.evaluate(`for (let n = 0; n < 150; n++)
    localStorage.setItem('muster.draft.ada.obj:old-' + n, JSON.stringify({ id: 'old-' + n, text: 'old', at: n }))`);
  await text(page, 'ben').fill('For ben');
  await expect
    .poll(() =>
      page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('muster.draft.')).length`),
    )
    .toBe(100);
  await page.goto('/app/conversations/dm:dan');
  await expect.poll(() => text(page, 'dan').inputValue()).toBe('For dan');
  expect(errors).toEqual([]);
  await context.close();
});
