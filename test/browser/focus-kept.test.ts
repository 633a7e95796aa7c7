/** The focus when somebody else removes the row that has it (specification/console.md#habits). */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], bo: ['admin'], lin: [], lou: [], lux: [], mo: [], zed: [] },
  });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const asks = async (labelHint: string) => (await as('bo').call('enroll', { body: { labelHint } })).userCode;
async function joins(label: string): Promise<string> {
  const body = { mode: 'bind', userCode: await asks(label), memberName: 'lin', label } as const;
  await as('bo').call('approveEnrollment', { body });
  const { tokens } = await as('bo').call('tokens', { params: { name: 'lin' } });
  return tokens.find((token) => token.label === label)!.id;
}
const revoke = (id: string) => as('bo').call('revokeToken', { params: { name: 'lin', id } });
async function write(name: string): Promise<void> {
  const query = new URLSearchParams({ path: `/ada/${name}`, mime: 'text/plain' });
  const headers = { 'content-type': 'application/octet-stream' };
  await shared.team.fetch('ada', `/fs/write?${query}`, { method: 'POST', headers, body: name });
}
const drop = (name: string) => as('ada').call('removeFile', { query: { path: `/ada/${name}` } });
const objective = async (title: string) =>
  (await as('ada').call('createObjective', { body: { title, outcome: 'It is drawn', assignee: 'ada' } })).id;
const gone = { state: 'detached' } as const;

const isLoaded = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/keep-focus-'))`;

interface Case {
  what: string;
  /** Makes the rows, and returns where they are, and what takes the row away. */
  prepare: () => Promise<{ path: string; leave: () => Promise<unknown> }>;
  row: (page: Page) => Locator;
  /** The element that has the focus then. */
  next: RegExp;
}

const cases: Case[] = [
  {
    what: 'a device that has access',
    async prepare() {
      const [id] = [await joins('abacus'), await joins('anvil')];
      return { path: '/app/admin/machines', leave: () => revoke(id) };
    },
    row: (page) => page.getByRole('button', { name: 'Revoke abacus of lin' }),
    next: /^a .*lin$/,
  },
  {
    what: 'a device that waits',
    async prepare() {
      const [userCode] = [await asks('one'), await asks('two')];
      return {
        path: '/app/admin/machines',
        leave: () => as('bo').call('rejectEnrollment', { body: { userCode } }),
      };
    },
    row: (page) =>
      page.getByRole('listitem').filter({ hasText: 'one' }).getByRole('button', { name: 'Reject…' }),
    next: /^button Approve…/,
  },
  {
    what: 'a member',
    prepare: async () => ({
      path: '/app/admin/people',
      leave: () => as('bo').call('deleteMember', { params: { name: 'lou' } }),
    }),
    row: (page) => page.getByRole('link', { name: /^lou/ }),
    next: /^a .*lux/,
  },
  {
    what: 'a token of a member',
    async prepare() {
      const [id] = [await joins('barge'), await joins('brig')];
      return { path: '/app/admin/people?member=lin', leave: () => revoke(id) };
    },
    row: (page) => page.getByRole('button', { name: 'Revoke barge' }),
    next: /^button Revoke/,
  },
  {
    what: 'a file',
    async prepare() {
      await write('a.txt');
      await write('b.txt');
      return { path: '/app/files?path=/ada', leave: () => drop('a.txt') };
    },
    row: (page) => page.getByRole('link', { name: /^a\.txt/ }),
    next: /^a b\.txt/,
  },
  {
    what: 'the last file',
    prepare: async () => ({ path: '/app/files?path=/ada', leave: () => drop('b.txt') }),
    row: (page) => page.getByRole('button', { name: 'Delete the file b.txt' }),
    next: /^div No files/,
  },
  {
    what: 'an objective',
    async prepare() {
      const [, id] = [await objective('Sound the bay'), await objective('Sound the cape')];
      return {
        path: '/app/objectives',
        leave: () => as('ada').call('cancelObjective', { params: { id }, body: {} }),
      };
    },
    row: (page) => page.locator('a', { hasText: 'Sound the cape' }),
    next: /Sound the bay/,
  },
  {
    what: 'a member in the dialog of a channel',
    async prepare() {
      const { id } = await as('ada').call('createChannel', { body: { slug: 'deck' } });
      for (const member of ['lin', 'mo'])
        await as('ada').call('joinChannel', { params: { slug: 'deck' }, body: { member } });
      return {
        path: `/app/channels?channel=${id}`,
        leave: () => as('ada').call('leaveChannel', { params: { slug: 'deck', name: 'lin' } }),
      };
    },
    row: (page) =>
      page.getByRole('listitem').filter({ hasText: 'lin' }).getByRole('button', { name: 'Remove' }),
    next: /^div #deck/,
  },
  {
    what: 'a conversation',
    prepare: async () => ({
      path: '/app/conversations/general',
      leave: () => as('bo').call('deleteMember', { params: { name: 'mo' } }),
    }),
    row: (page) => page.getByRole('link', { name: /^mo/ }),
    next: /^a .*zed/,
  },
];

describe('the focus stays beside', () => {
  it.each(cases)('$what that somebody else removes', async ({ prepare, row, next }) => {
    const { path, leave } = await prepare();
    const { page, context, errors } = await shared.open('ada', { path });
    await expect.poll(() => page.evaluate(isLoaded)).toBe(true);
    await row(page).focus();
    await leave();
    await row(page).waitFor(gone);
    await focused(page).toMatch(next);
    expect(errors).toEqual([]);
    await context.close();
  });
});

it('the content of a screen has a frame only when somebody goes there', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/files' });
  await expect.poll(() => page.evaluate(isLoaded)).toBe(true);
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await page.goBack();
  // A key, after which a browser shows where the focus is.
  await page.getByRole('button', { name: 'New folder' }).press('Shift');
  await page.goForward();
  await focused(page).toMatch(/^section Agents/);
  const frame = () => page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  expect(await frame()).toBe('none');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await focused(page).toMatch(/^section Agents/);
  expect(await frame()).toBe('solid');
  expect(errors).toEqual([]);
  await context.close();
});
