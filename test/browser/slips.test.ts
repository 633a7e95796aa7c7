/** Mistakes of a hand: it presses twice or too long, and it drops a file beside the place for it. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { codeAt, freshAuthenticator } from '../../broker/testing/test-authenticator.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { loaded } from './testing/loaded.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], cy: [], dan: [], eve: [] } });
});
afterAll(() => shared?.stop());

it.each([
  { name: 'deletes a member', member: 'ben', act: 'Delete ben', path: '/members/ben' },
  { name: 'rotates the tokens', member: 'cy', act: /^Replace all/, path: '/members/cy/rotate-token' },
])('$name once, however often the button is pressed', async ({ member, act, path }) => {
  const { page, context, errors } = await shared.open('ada', { path: `/app/admin/people?member=${member}` });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && request.url().endsWith(path)) sent.push(request.url());
  });
  await page.getByRole('button', { name: act }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: act }).evaluate((button) => {
    for (let press = 0; press < 3; press++) (button as unknown as { click(): void }).click();
  });
  await question.waitFor({ state: 'detached' });
  expect(sent).toHaveLength(1);
  expect(errors).toEqual([]);
  await context.close();
});

it.each(['/app', '/app/objectives', '/app/conversations/general'])(
  'stays in the console when a file is dropped beside the places for it: %s',
  async (path) => {
    const { page, context } = await shared.open('ada', { path });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const isRefused = await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'x.txt'));
      const take = (type) =>
        !document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      return [take('dragover'), take('drop')];
    })()`);
    expect(isRefused).toEqual([true, true]);
    await context.close();
  },
);

const as = (name: string) => shared.team.as(name);
const heldPosts = async () => (await as('ada').call('heldPosts', {})).held.map(({ excerpt }) => excerpt);
afterEach(async () => {
  for (const { id } of (await as('ada').call('heldPosts', {})).held)
    await as('ada').call('dropHeld', { params: { id } });
});
/** Has dan answer eve so often that its posts are held. */
async function hold(...bodies: string[]): Promise<void> {
  await as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
  const ask = await as('eve').call('push', { body: { body: 'and now?', causes: [] } });
  for (const body of bodies) await as('dan').call('push', { body: { body, causes: [ask.message.id] } });
}

async function centerOf(place: Locator): Promise<{ x: number; y: number }> {
  const box = await place.boundingBox();
  if (box === null) throw new Error('the control is not on the page');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** The second press of a double click comes only when the first one has done its work. */
async function clickAgainAfter(page: Page, place: Locator, isDone: () => Promise<unknown>): Promise<void> {
  const { x, y } = await centerOf(place);
  await page.mouse.click(x, y);
  await isDone();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
}

it('joins a channel once, although its button does not show in time that it is pressed', async () => {
  await as('eve').call('createChannel', { body: { slug: 'harbor' } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/channels' });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/channels/')) sent.push(request.url());
  });
  const row = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'harbor' });
  await row.getByRole('button', { name: 'Join' }).evaluate((button) => {
    for (let press = 0; press < 3; press++) (button as unknown as { click(): void }).click();
  });
  await row.getByRole('link', { name: 'Open' }).waitFor();
  expect(sent).toHaveLength(1);
  expect(errors).toEqual([]);
  await context.close();
});

it('releases and drops only one post by a double click, although the next one has come into its place', async () => {
  await hold('the first', 'the second', 'the third');
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  await loaded(page, 'habits');
  const post = (text: string) => page.locator('li[id^=held-]').filter({ hasText: text });
  const gone = (text: string) => () => post(text).waitFor({ state: 'detached' });
  for (const [act, first, next] of [
    ['Release', 'the first', 'the second'],
    ['Drop', 'the second', 'the third'],
  ] as const) {
    await post(next).waitFor();
    await clickAgainAfter(page, post(first).getByRole('button', { name: act }), gone(first));
    expect(await post(next).count()).toBe(1);
  }
  expect(await heldPosts()).toEqual(['the second', 'the third']);
  await post('the third').getByRole('button', { name: 'Release' }).click();
  await expect.poll(heldPosts).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it('releases only one post by Enter twice, although the button of the next one has the focus', async () => {
  await hold('the fourth', 'the fifth');
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  await loaded(page, 'habits');
  const post = (text: string) => page.locator('li[id^=held-]').filter({ hasText: text });
  const now = new Date();
  await page.clock.setFixedTime(now);
  await post('the fourth').getByRole('button', { name: 'Release' }).focus();
  await page.keyboard.press('Enter');
  await post('the fourth').waitFor({ state: 'detached' });
  await post('the fifth').locator('button:focus', { hasText: 'Release' }).waitFor();
  await page.keyboard.press('Enter');
  await page.clock.setFixedTime(now.getTime() + 400);
  await page.keyboard.press('Space');
  expect(await post('the fifth').locator('[aria-busy]').count()).toBe(0);
  expect(await heldPosts()).toEqual(['the fifth']);
  await page.clock.setFixedTime(now.getTime() + 600);
  await page.keyboard.press('Enter');
  await expect.poll(heldPosts).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it('clears only one item by a double click', async () => {
  for (const from of ['dan', 'eve'])
    await as(from).call('push', { body: { to: 'ada', body: `From ${from}` } });
  const { page, context, errors } = await shared.open('ada');
  await loaded(page, 'habits');
  const rows = page.getByRole('listitem').filter({ hasText: '1 direct message from' });
  await expect.poll(() => rows.count()).toBe(2);
  await clickAgainAfter(page, rows.first().getByRole('button', { name: 'Clear' }), () =>
    expect.poll(() => rows.count()).toBe(1),
  );
  await page.getByText('Cleared').waitFor();
  expect(await rows.count()).toBe(1);
  expect(errors).toEqual([]);
  await context.close();
});

it('does not ask why an objective is blocked by the second click on Unblock', async () => {
  const { id } = await as('ada').call('createObjective', {
    body: { title: 'Sound the bay', outcome: 'Depths are known', assignee: 'ada' },
  });
  const blocked = { status: 'blocked', blockReason: 'No boat' } as const;
  await as('ada').call('updateObjective', { params: { id }, body: blocked });
  const { page, context, errors } = await shared.open('ada', { path: `/app/objectives/${id}` });
  await loaded(page, 'habits');
  const block = page.getByRole('button', { name: 'Block', exact: true });
  await page.getByRole('button', { name: 'Unblock' }).waitFor();
  await clickAgainAfter(page, page.getByRole('button', { name: 'Unblock' }), () => block.waitFor());
  expect(await page.getByRole('dialog', { name: 'Block objective' }).count()).toBe(0);
  await block.click();
  await page.getByRole('dialog', { name: 'Block objective' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('rejects no device by Enter that is held down on the button that asks', async () => {
  await as('ada').call('enroll', { body: { labelHint: 'laptop' } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/machines' });
  await loaded(page, 'habits');
  await page.getByRole('button', { name: 'Reject…' }).focus();
  const dialog = page.getByRole('dialog', { name: /^Reject/ });
  await page.keyboard.down('Enter');
  await dialog.getByLabel('Reason (optional)').and(page.locator(':focus')).waitFor();
  for (let repeat = 0; repeat < 3; repeat++) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  expect(await dialog.getByRole('button', { name: 'Reject device' }).getAttribute('aria-busy')).toBe(null);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect((await as('ada').call('pendingEnrollments', {})).enrollments).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it('presses nothing on the first screen by a double click on Log in', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/trust' });
  await context.clearCookies();
  // Code that is loaded when the page is idle comes too late for the second press.
  await page.route(/\/assets\/habits-[^/]*\.js$/, () => undefined);
  const totpSecret = await freshAuthenticator(shared.team, 'eve');
  await page.goto('/app/objectives');
  await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
  await page.getByLabel('Member').fill('eve');
  const { x, y } = await centerOf(page.getByRole('button', { name: 'Log in' }));
  await page.mouse.click(x, y);
  const board = page.getByRole('button', { name: 'Board' });
  await board.waitFor();
  // Of a hand, the pointer stays, and a button comes under it.
  const { x: left, y: top } = await centerOf(board);
  await page.mouse.move(left, top);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  expect(await board.getAttribute('aria-pressed')).toBe('false');
  // Another press acts.
  await page.mouse.down({ clickCount: 1 });
  await page.mouse.up({ clickCount: 1 });
  await expect.poll(() => board.getAttribute('aria-pressed')).toBe('true');
  await context.close();
});
