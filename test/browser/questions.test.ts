/** Changes by somebody else while the console asks whether to do something that cannot be undone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { loaded } from './testing/loaded.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['admin'], cy: [], dan: [] } });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const question = (page: Page) => page.getByRole('alertdialog');
/** The page may be in the middle of a request when what it asks for is gone. */
const refused = /status of 40[34]/;

async function addDevice(label: string): Promise<string> {
  const { userCode } = await as('ada').call('enroll', { body: { labelHint: label } });
  const body = { mode: 'bind' as const, userCode, memberName: 'cy', label };
  await as('ada').call('approveEnrollment', { body });
  const { tokens } = await as('ada').call('tokens', { params: { name: 'cy' } });
  return tokens.find((one) => one.label === label)?.id ?? '';
}
const revoke = (id: string) => as('ada').call('revokeToken', { params: { name: 'cy', id } });
const write = (path: string) =>
  shared.team.fetch('ben', `/fs/write?path=${path}`, { method: 'POST', body: 'x' });
const addChannel = async (slug: string, isPrivate = false) => {
  const body = { slug, ...(isPrivate && { private: true }) };
  return (await as('ada').call('createChannel', { body })).id;
};

interface Question {
  what: string;
  /** Prepares it, and returns the address and what somebody else does meanwhile. */
  prepare: () => Promise<{ path: string; meanwhile: () => Promise<unknown> }>;
  ask: (page: Page) => Promise<unknown>;
  says: string;
}
const press =
  (...names: string[]) =>
  async (page: Page) => {
    for (const name of names) await page.getByRole('button', { name }).click();
  };

describe('an open question says that somebody else has done it', () => {
  it.each<Question>([
    {
      what: 'to revoke a device',
      prepare: async () => {
        const id = await addDevice('tablet');
        return { path: '/app/admin/machines', meanwhile: () => revoke(id) };
      },
      ask: press('Revoke tablet of cy'),
      says: 'This has no access anymore: it was revoked, or has expired.',
    },
    {
      what: 'to revoke a token of a member',
      prepare: async () => {
        const id = await addDevice('phone');
        return { path: '/app/admin/people?member=cy', meanwhile: () => revoke(id) };
      },
      ask: press('Revoke phone'),
      says: 'This token was revoked, or has expired.',
    },
    {
      what: 'to rotate the tokens of a member',
      prepare: async () => ({
        path: '/app/admin/people?member=dan',
        meanwhile: () => as('ada').call('rotateToken', { params: { name: 'dan' } }),
      }),
      ask: press('Replace all tokens…'),
      says: 'In the meantime, the tokens of this member have changed.',
    },
    {
      what: 'to end all sessions of a member',
      prepare: async () => {
        await (await shared.open('cy')).page.getByRole('main').waitFor();
        return {
          path: '/app/admin/people?member=cy',
          meanwhile: () => as('ada').call('endSessions', { query: { member: 'cy' } }),
        };
      },
      ask: press('Sign out everywhere'),
      says: 'All sessions of this member have ended.',
    },
    {
      what: 'to archive a channel',
      prepare: async () => ({
        path: `/app/conversations/general?channel=${await addChannel('reef')}`,
        meanwhile: () => as('ada').call('archiveChannel', { params: { slug: 'reef' } }),
      }),
      ask: press('Archive #reef'),
      says: 'This channel is archived.',
    },
    {
      what: 'to make a channel public',
      prepare: async () => ({
        path: `/app/conversations/general?channel=${await addChannel('cove', true)}`,
        meanwhile: () =>
          as('ada').call('renameChannel', { params: { slug: 'cove' }, body: { private: false } }),
      }),
      ask: (page) => page.getByRole('checkbox', { name: /^Private/ }).click(),
      says: 'This channel is public now.',
    },
    {
      what: 'to delete a file',
      prepare: async () => {
        await write('/ben/notes/plan.txt');
        const meanwhile = () => as('ada').call('removeFile', { query: { path: '/ben/notes/plan.txt' } });
        return { path: '/app/files?path=/ben/notes', meanwhile };
      },
      ask: press('Delete the file plan.txt'),
      says: 'It is not there anymore: somebody deleted or moved it.',
    },
    {
      what: 'to delete a folder',
      prepare: async () => {
        await write('/ben/drafts/plan.txt');
        const query = { path: '/ben/drafts', recursive: 'true' as const };
        return { path: '/app/files?path=/ben', meanwhile: () => as('ada').call('removeFile', { query }) };
      },
      ask: press('Delete the folder drafts'),
      says: 'It is not there anymore: somebody deleted or moved it.',
    },
    {
      what: 'to delete a message',
      prepare: async () => {
        const { id } = (await as('ben').call('push', { body: { body: 'The tide turns at six' } })).message;
        const meanwhile = () => as('ben').call('deleteMessage', { params: { id } });
        return { path: '/app/conversations/general', meanwhile };
      },
      ask: async (page) => {
        await page.locator('[data-message]').filter({ hasText: 'The tide turns at six' }).focus();
        await page.keyboard.press('d');
      },
      says: 'This message was deleted.',
    },
  ])('$what', async ({ prepare, ask, says }) => {
    const { path, meanwhile } = await prepare();
    const { page, context, errors } = await shared.open('ben', { path });
    await ask(page);
    await question(page).waitFor();
    expect(await question(page).getByRole('status').textContent()).toBe('');
    await meanwhile();
    await question(page).getByText(says).waitFor();
    await question(page).getByRole('button', { name: 'Cancel' }).click();
    await question(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });
});

it('says in the form for the text of a message that the text has changed, and keeps what was typed', async () => {
  const { id } = (await as('ben').call('push', { body: { body: 'The wind turns at six' } })).message;
  const { page, context, errors } = await shared.open('ben', { path: '/app/conversations/general' });
  await page.locator(`[data-message="${id}"]`).focus();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Edit the message' });
  await dialog.getByLabel('Text').fill('typed');
  await as('ben').call('editMessage', { params: { id }, body: { body: 'The wind turns at seven' } });
  await dialog.getByText('In the meantime, the text of this message was changed.').waitFor();
  await as('ben').call('deleteMessage', { params: { id } });
  await dialog.getByText('This message was deleted.').waitFor();
  expect(await dialog.getByLabel('Text').inputValue()).toBe('typed');
  expect(errors).toEqual([]);
  await context.close();
});

describe('an open question says that an operator withdrew the permission', () => {
  it.each<Pick<Question, 'what' | 'ask'> & { path: () => Promise<string> }>([
    {
      what: 'to revoke a device',
      path: async () => {
        await addDevice('watch');
        return '/app/admin/machines';
      },
      ask: press('Revoke watch of cy'),
    },
    {
      what: 'to archive a channel',
      path: async () => `/app/conversations/general?channel=${await addChannel('bay')}`,
      ask: press('Archive #bay'),
    },
    {
      what: 'to delete a file of another member',
      path: async () => {
        await shared.team.fetch('cy', '/fs/write?path=/cy/plan.txt', { method: 'POST', body: 'x' });
        return '/app/files?path=/cy';
      },
      ask: press('Delete the file plan.txt'),
    },
  ])('$what', async ({ path, ask }) => {
    const { page, context, errors } = await shared.open('ben', { path: await path() });
    await ask(page);
    await question(page).waitFor();
    await loaded(page, 'permission-news');
    await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: [] } });
    try {
      await question(page).getByText('You may not do this anymore.', { exact: true }).waitFor();
      await question(page).getByRole('button', { name: 'Cancel' }).click();
      await question(page).waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
    } finally {
      await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: ['admin'] } });
    }
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });
});
