/** The items that need the member: found, opened, dealt with, put off, and counted. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: {
      ada: ['admin'],
      ben: ['operator'],
      kim: [],
      lin: ['operator'],
      max: ['operator'],
      noa: [],
      oda: [],
    },
  });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const tell = (from: string, to: string, body: string) => as(from).call('push', { body: { to, body } });
const ask = async (originator: string, assignee: string, title: string) => {
  const { id } = await as(originator).call('createObjective', {
    body: { title, outcome: 'Done', assignee, body: '' },
  });
  return id;
};
const block = (assignee: string, id: string, blockReason: string) =>
  as(assignee).call('updateObjective', { params: { id }, body: { status: 'blocked', blockReason } });
const list = (page: Page) => page.getByRole('region', { name: 'What needs you' });
const row = (page: Page, name: string | RegExp) => list(page).getByRole('link', { name });
const opened = (page: Page) => page.getByRole('region', { name: 'Opened item' });
const focused = (page: Page) => page.locator(':focus').textContent();

describe('what needs a member', () => {
  it('is listed with its text, and opened, dealt with, put off, and taken back by keyboard alone', async () => {
    const blocked = await ask('ben', 'kim', 'Draw the coast');
    const done = await ask('ben', 'kim', 'Draw the reef');
    await block('kim', blocked, 'The chart is missing');
    await as('kim').call('completeObjective', { params: { id: done }, body: { result: 'Merged as 4f2c' } });
    await as('kim').call('push', { body: { to: null, body: 'Who has a sounding line, @ben?' } });
    await tell('kim', 'ben', 'Where is the harbor?');
    await as('ada').call('push', { body: { to: 'ben', body: 'The dock is on fire', level: 'critical' } });
    const { page, context, errors } = await shared.open('ben');

    await row(page, /Critical message from ada/).waitFor();
    await expect.poll(() => row(page, /mention in .*sounding line/).count()).toBe(1);
    await row(page, /1 direct message from kim\s*Where is the harbor\?/).waitFor();
    await row(page, /Blocked: Draw the coast\s*kim: The chart is missing/).waitFor();
    await row(page, /Done: Draw the reef\s*kim: Merged as 4f2c/).waitFor();
    await expect.poll(() => page.title()).toBe('(5) Inbox · Muster');

    await page.keyboard.press('j');
    expect(await focused(page)).toContain('Critical message from ada');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await focused(page)).toContain('The dock is on fire');
    await page.keyboard.press('e');
    await row(page, /Critical message/).waitFor({ state: 'detached' });
    expect(await focused(page)).toContain('sounding line');
    await page.keyboard.press('z');
    await row(page, /Critical message/).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('s');
    await page.getByRole('menuitem', { name: 'Tomorrow morning' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toBe('(4) Inbox · Muster');
    await expect.poll(() => focused(page)).toMatch(/Critical message|direct message/);
    await page.reload();
    await row(page, /Critical message/).waitFor();
    await expect.poll(() => page.title()).toBe('(4) Inbox · Muster');

    await row(page, /direct message from kim/).focus();
    await page.keyboard.press('Enter');
    await opened(page).getByRole('heading', { name: 'kim' }).waitFor();
    await opened(page).getByRole('log').getByText('Where is the harbor?').waitFor();
    await expect.poll(() => page.title()).toBe('(3) Inbox · Muster');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is not said to be nothing while it is not known', async () => {
    const { page, context } = await shared.open('noa', { path: '/app/admin/team' });
    await page.route('**/inbox', (route) => route.fulfill({ status: 400, body: '{}' }));
    await page.goto('/app');
    await list(page).getByRole('alert').waitFor();
    expect(await page.getByText('Nothing needs you').count()).toBe(0);
    await page.unroute('**/inbox');
    await list(page).getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing needs you').waitFor();
    await page.route('**/inbox', (route) => route.fulfill({ status: 400, body: '{}' }));
    await tell('kim', 'noa', 'The pump is hot');
    await list(page).getByRole('alert').waitFor();
    expect(await page.getByText('Nothing needs you').count()).toBe(0);
    await context.close();
  });

  it('follows the permissions of the member', async () => {
    await shared.team.fetch(null, '/enroll', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ labelHint: 'a blue laptop' }),
    });
    const { page, context, errors } = await shared.open('lin');
    await page.getByText('Nothing needs you').waitFor();
    await as('ada').call('updateMember', { params: { name: 'lin' }, body: { permissions: ['admin'] } });
    await row(page, /a blue laptop is waiting for approval/).waitFor();
    await as('ada').call('updateMember', { params: { name: 'lin' }, body: { permissions: ['operator'] } });
    await page.getByText('Nothing needs you').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('opens beside the list, and closes by Escape and by Back, with the focus on its row', async () => {
    await as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
    const question = await as('kim').call('push', { body: { body: 'Who is there?', causes: [] } });
    await as('noa').call('push', { body: { body: 'I am', causes: [question.message.id] } });
    await shared.team.fetch(null, '/enroll', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ labelHint: 'a new laptop' }),
    });
    const { page, context, errors } = await shared.open('ada');
    const held = row(page, /A post by noa is held in #general\s*I am/);
    await held.click();
    await opened(page).getByText('2 posts by agents in a row').waitFor();
    await opened(page).getByRole('log').getByText('Who is there?').waitFor();
    await list(page).waitFor();
    const device = row(page, /a new laptop is waiting for approval/);
    await device.focus();
    await page.keyboard.press('Enter');
    await opened(page).getByRole('button', { name: 'Approve device' }).waitFor();
    expect(await device.getAttribute('aria-current')).toBe('page');
    await page.keyboard.press('Escape');
    await opened(page).waitFor({ state: 'detached' });
    expect(await focused(page)).toContain('a new laptop');
    // Also while the list has the focus.
    await page.keyboard.press('Enter');
    await opened(page).waitFor();
    await held.focus();
    await page.keyboard.press('Escape');
    await opened(page).waitFor({ state: 'detached' });
    await held.click();
    await opened(page).waitFor();
    await page.goBack();
    await opened(page).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toContain('A post by noa');
    await page.setViewportSize({ width: 390, height: 844 });
    await held.click();
    await opened(page).getByText('2 posts by agents in a row').waitFor();
    await list(page).waitFor({ state: 'hidden' });
    await opened(page).getByRole('button', { name: 'Close' }).click();
    await list(page).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is answered beside the list without a click, and stays open when it has left the list', async () => {
    await tell('noa', 'max', 'Which pier?');
    const { page, context, errors } = await shared.open('max');
    await row(page, /direct message from noa/).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Message noa');
    await row(page, /direct message from noa/).waitFor({ state: 'detached' });
    await page.keyboard.type('The northern one');
    await page.keyboard.press('Enter');
    await opened(page).getByRole('log').getByText('The northern one').waitFor();
    // In the conversation, a key means the message, and not an item of the list.
    await opened(page).getByRole('article').filter({ hasText: 'The northern one' }).focus();
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: 'Edit the message' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Edit the message' }).waitFor({ state: 'detached' });
    const { messages } = await as('noa').call('history', { query: { with: 'max' } });
    expect(messages[0]).toMatchObject({ from: 'max', body: 'The northern one' });
    await expect
      .poll(async () => (await as('max').call('inbox', {})).items.map(({ place }) => place))
      .not.toContainEqual({
        kind: 'conversation',
        scope: 'dm:noa',
      });
    await page.reload();
    await opened(page).getByText('Already dealt with').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is an objective with its actions and its thread', async () => {
    const id = await ask('ada', 'kim', 'Paint the buoys');
    await block('kim', id, 'Which **red**? The chart names two of them.');
    const { page, context, errors } = await shared.open('ada');
    const answer = list(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: /Blocked: Paint the buoys/ }) })
      .getByRole('button', { name: 'Answer…' });
    await answer.waitFor();
    await row(page, /Blocked: Paint the buoys/).focus();
    await page.keyboard.press('a');
    await opened(page).getByText('Which red?').first().waitFor();
    const detail = row(page, /Blocked: Paint the buoys/).getByText(/two of them\.$/);
    const isWhole = () =>
      detail.evaluate(
        (one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1,
      );
    await expect.poll(isWhole).toBe(true);
    await opened(page).getByRole('button', { name: 'Answer' }).click();
    const field = opened(page).getByRole('textbox', { name: /^Message/ });
    await expect.poll(() => field.evaluate((one) => one.matches(':focus'))).toBe(true);
    await opened(page).getByRole('button', { name: 'Unblock' }).click();
    await row(page, /Blocked: Paint the buoys/).waitFor({ state: 'detached' });
    await opened(page).getByText('It needs nothing from you now.').waitFor();
    await opened(page)
      .getByRole('textbox', { name: /^Message/ })
      .waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});

it('is the newer item of the same matter after a reload', async () => {
  await tell('lin', 'max', 'The first buoy');
  const { page, context, errors } = await shared.open('max');
  await page.route('**/messages/read', (route) => route.abort());
  await row(page, /1 direct message from lin/).click();
  await opened(page).getByRole('log').getByText('The first buoy').waitFor();
  const address = page.url();
  await page.goto('about:blank');
  await tell('lin', 'max', 'The second buoy');
  const later = await shared.open('max', { path: address });
  await opened(later.page).getByRole('heading', { name: 'lin' }).waitFor();
  await opened(later.page).getByRole('log').getByText('The second buoy').waitFor();
  expect(errors.concat(later.errors).filter((error) => !error.includes('messages/read'))).toEqual([]);
  await context.close();
  await later.context.close();
});

it('has its count on the icon of the installed console', async () => {
  const { page, context, errors } = await shared.open('noa', { path: '/app/admin/team' });
  await page.addInitScript(`
    window.badges = [];
    navigator.setAppBadge = async (count) => void window.badges.push(count);
  `);
  const last = () => page.evaluate('window.badges.at(-1)');
  await page.goto('/app');
  const before = (await as('noa').call('inbox', {})).items.length;
  await expect.poll(last).toBe(before);
  const { message } = await tell('oda', 'noa', 'The buoy drifts');
  await expect.poll(last).toBe(before + 1);
  await as('noa').call('reportRead', { body: { scope: 'dm:oda', upTo: message.id } });
  await expect.poll(last).toBe(before);
  expect(errors).toEqual([]);
  await context.close();
});

describe('since the last visit', () => {
  it('tells what was finished, and what is unread', async () => {
    await as('kim').call('push', { body: { to: null, body: 'The reef is drawn' } });
    const { page, context } = await shared.open('ada');
    const since = page.getByRole('region', { name: 'Since you were here' });
    await since.getByRole('link', { name: 'Draw the reef' }).waitFor();
    await since.getByRole('link', { name: 'Draw the coast' }).first().waitFor();
    await since
      .getByText(/^\d+ messages?$/)
      .first()
      .waitFor();
    await context.close();
  });
});

describe('a muted conversation', () => {
  it('is left out of the inbox, except for mentions and critical messages', async () => {
    const { page, context, errors } = await shared.open('oda', { path: '/app/conversations/general' });
    async function mute(name: string, path: string): Promise<void> {
      await page.goto(path);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Options of this conversation' }).click();
      await page.getByRole('menuitem', { name: 'Mute' }).click();
      await page
        .getByRole('navigation', { name: 'Conversations' })
        .getByRole('link', { name: new RegExp(`${name.replace('#', '')}.*muted`) })
        .waitFor();
    }
    await page.getByRole('log').getByText('Who has a sounding line').waitFor();
    await mute('#general', '/app/conversations/general');
    await mute('kim', '/app/conversations/dm:kim');
    await page.goto('/app/admin/team');
    await tell('kim', 'oda', 'The gulls are loud');
    await as('kim').call('push', { body: { to: null, body: 'The gulls are loud everywhere' } });
    await tell('max', 'oda', 'The tide turns at eight');
    await page.goto('/app');
    await row(page, /direct message from max/).waitFor();
    const since = page.getByRole('region', { name: 'Since you were here' });
    await since.getByRole('link', { name: 'Draw the reef' }).waitFor();
    expect(await list(page).getByText(/kim/).count()).toBe(0);
    expect(await since.getByText('Unread in channels').count()).toBe(0);
    await expect.poll(() => page.title()).toBe('(1) Inbox · Muster');

    await tell('kim', 'oda', 'Where are you, @oda?');
    await row(page, /^1 mention from kim\s*Where are you, @oda\?/).waitFor();
    await tell('kim', 'oda', 'And the gulls again');
    await as('kim').call('push', { body: { to: 'oda', body: 'The mast broke', level: 'critical' } });
    await row(page, /Critical message from kim\s*in kim\s*The mast broke/).waitFor();
    expect(await row(page, /^1 mention from kim/).count()).toBe(1);
    expect(await list(page).getByText('The gulls').count()).toBe(0);
    expect(
      await list(page)
        .getByText(/direct messages? from kim/)
        .count(),
    ).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });
});

it('a device is approved, and a held post released, with one key', async () => {
  await shared.team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
  const ask = await shared.team.as('noa').call('push', { body: { body: 'Who answers?', causes: [] } });
  await shared.team.as('kim').call('push', { body: { body: 'An agent answers', causes: [ask.message.id] } });
  const { page, context, errors } = await shared.open('ada');
  const held = row(page, /A post by kim is held/);
  await held.focus();
  await page.keyboard.press('a');
  await page.getByText('The post was released').waitFor();
  await held.waitFor({ state: 'detached' });
  const { messages } = await shared.team.as('noa').call('history', { query: {} });
  expect(messages[0]).toMatchObject({ from: 'kim', body: 'An agent answers' });
  await shared.team.fetch(null, '/enroll', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint: 'a red laptop' }),
  });
  await row(page, /a red laptop is waiting for approval/).focus();
  await page.keyboard.press('a');
  await opened(page).getByRole('button', { name: 'Approve device' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

describe('the form of a device beside the list', () => {
  const request = (labelHint: string) =>
    shared.team.fetch(null, '/enroll', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ labelHint }),
    });
  const openForm = async (labelHint: string) => {
    await request(labelHint);
    const one = await shared.open('ada');
    await row(one.page, new RegExp(`${labelHint} is waiting`)).click();
    return { ...one, label: opened(one.page).getByLabel('Device label') };
  };

  it('keeps what was typed when a rejection is canceled, and always has the focus', async () => {
    const { page, context, errors, label } = await openForm('a gray laptop');
    await label.fill('The gray one');
    await opened(page).getByRole('button', { name: 'Reject…' }).click();
    const reason = opened(page).getByLabel('Reason (optional)');
    await expect.poll(() => reason.evaluate((field) => field.matches(':focus'))).toBe(true);
    await opened(page).getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => focused(page)).toBe('Reject…');
    expect(await label.inputValue()).toBe('The gray one');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('leaves the focus to the opened item when somebody else decides', async () => {
    const { page, context, errors, label } = await openForm('a green laptop');
    await label.focus();
    const { enrollments } = await as('ada').call('pendingEnrollments', {});
    const userCode = enrollments.find(({ labelHint }) => labelHint === 'a green laptop')?.userCode ?? '';
    await as('ada').call('rejectEnrollment', { body: { userCode, reason: null } });
    await opened(page).getByText('Already dealt with').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Opened item');
    expect(errors).toEqual([]);
    await context.close();
  });
});
