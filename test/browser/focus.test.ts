/** After each dialog and action, the focus is in a sensible place (specification/console.md#habits). */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [], cy: [], coder: [], dan: ['operator'], eve: [], kim: [] },
  });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const say = async (body: string, to: string | null = null, attachments: string[] = []) =>
  (await as('ada').call('push', { body: { to, body, attachments } })).message.id;
async function write(name: string, path: string): Promise<void> {
  const query = new URLSearchParams({ path, mime: 'text/plain' });
  const headers = { 'content-type': 'application/octet-stream' };
  const reply = await shared.team.fetch(name, `/fs/write?${query}`, { method: 'POST', headers, body: path });
  expect(reply.status).toBe(200);
}

/** Opens the path, runs the steps, and expects that the page complained about nothing. */
async function on(
  path: string,
  steps: (page: Page) => Promise<void>,
  options: { as?: string; width?: number } = {},
): Promise<void> {
  const { as: member = 'ada', ...rest } = options;
  const { page, context, errors } = await shared.open(member, { path, ...rest });
  await steps(page);
  expect(errors).toEqual([]);
  await context.close();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const question = (page: Page) => page.getByRole('alertdialog');
const gone = { state: 'detached' } as const;

/** Opens the dialog with the keyboard, and closes it with Escape. */
async function openAndEscape(page: Page, key: string, name: string | RegExp): Promise<void> {
  await page.keyboard.press(key);
  await dialog(page, name).waitFor();
  await page.keyboard.press('Escape');
  await dialog(page, name).waitFor(gone);
}

describe('a dialog that is closed without a change gives the focus back', () => {
  it('from the palette and the sheet of keys', () =>
    on('/app/admin/people', async (page) => {
      await button(page, 'New member').focus();
      await openAndEscape(page, 'ControlOrMeta+k', 'Command palette');
      await focused(page).toBe('button New member');
      await openAndEscape(page, '?', 'Keyboard shortcuts');
      await focused(page).toBe('button New member');
    }));

  it('to the content of the screen when the row that had it left while the palette was open', async () => {
    const { id } = await as('ada').call('createObjective', {
      body: { title: 'Leaves the list', outcome: 'it is gone', assignee: 'ada' },
    });
    await on('/app/objectives', async (page) => {
      const row = page.locator('a', { hasText: 'Leaves the list' });
      await row.focus();
      await page.keyboard.press('ControlOrMeta+k');
      await dialog(page, 'Command palette').waitFor();
      await as('ada').call('cancelObjective', { params: { id }, body: {} });
      await row.waitFor(gone);
      await page.keyboard.press('Escape');
      await dialog(page, 'Command palette').waitFor(gone);
      await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
    });
  });

  it('from the form for a new member', () =>
    on('/app/admin/people', async (page) => {
      await button(page, 'New member').focus();
      await openAndEscape(page, 'Enter', 'New member');
      await focused(page).toBe('button New member');
      await page.keyboard.press('Enter');
      await dialog(page, 'New member').getByRole('button', { name: 'Cancel' }).click();
      await dialog(page, 'New member').waitFor(gone);
      await focused(page).toBe('button New member');
      await page.keyboard.press('Enter');
      await dialog(page, 'New member').getByLabel('Role', { exact: true }).fill('Pilot');
      await page.keyboard.press('Escape');
      await question(page).getByRole('button', { name: 'Keep editing' }).click();
      await question(page).waitFor(gone);
      await focused(page).toBe('input Role');
      await page.keyboard.press('Escape');
      await question(page).getByRole('button', { name: 'Discard' }).click();
      await dialog(page, 'New member').waitFor(gone);
      await focused(page).toBe('button New member');
    }));

  it('from an objective that is shown over its list', async () => {
    for (const title of ['Draw the coast', 'Draw the reef'])
      await as('ada').call('createObjective', {
        body: { title, outcome: 'It is drawn', assignee: 'ben', body: '' },
      });
    await on('/app/objectives', async (page) => {
      const row = page
        .getByRole('list', { name: 'Objectives' })
        .getByRole('link', { name: 'Draw the coast' });
      await row.focus();
      await openAndEscape(page, 'Space', 'Draw the coast');
      await focused(page).toContain('Draw the coast');
      await page.keyboard.press('Space');
      await dialog(page, 'Draw the coast').getByRole('button', { name: 'Close', exact: true }).click();
      await dialog(page, 'Draw the coast').waitFor(gone);
      await focused(page).toContain('Draw the coast');
    });
  });

  it('from the channels', () =>
    on('/app/conversations/general', async (page) => {
      await button(page, 'Browse channels').focus();
      await openAndEscape(page, 'Enter', 'Channels');
      await focused(page).toBe('button Browse channels');
    }));

  it('from an attachment', async () => {
    await write('ada', '/ada/notes.txt');
    await say('Look', 'cy', ['/ada/notes.txt']);
    await on('/app/conversations/dm:cy', async (page) => {
      await page.getByRole('log').getByRole('link', { name: 'notes.txt' }).focus();
      await openAndEscape(page, 'Enter', 'notes.txt');
      await focused(page).toBe('a notes.txt');
    });
  });

  it('from the question whether a run is to stop', async () => {
    await as('coder').call('takeRun', { body: { runId: randomUUID(), host: 'mill', agent: 'Codex 1' } });
    await on('/app/agents?agent=coder', async (page) => {
      await button(page, 'Stop coder').focus();
      await page.keyboard.press('Enter');
      await question(page).getByRole('button', { name: 'Cancel' }).click();
      await question(page).waitFor(gone);
      await focused(page).toBe('button Stop coder');
    });
  });
});

describe('a message', () => {
  it('has the focus after it was edited, not edited, and deleted', async () => {
    const id = await say('The tide turns at six');
    await say('Somebody answers');
    await on('/app/conversations/general', async (page) => {
      const row = page.locator(`[data-message="${id}"]`);
      const isFocused = () => page.locator(`[data-message="${id}"]:focus`).waitFor();
      await row.focus();
      await openAndEscape(page, 'e', 'Edit the message');
      await isFocused();
      await page.keyboard.press('e');
      await dialog(page, 'Edit the message')
        .getByRole('textbox', { name: 'Text' })
        .fill('The tide turns at seven');
      await page.keyboard.press('ControlOrMeta+Enter');
      await row.getByText('The tide turns at seven').waitFor();
      await dialog(page, 'Edit the message').waitFor(gone);
      await isFocused();
      await page.keyboard.press('d');
      await question(page).getByRole('button', { name: 'Cancel' }).click();
      await question(page).waitFor(gone);
      await isFocused();
      await row.hover();
      await row.getByRole('button', { name: 'Delete' }).click();
      await question(page).getByRole('button', { name: 'Delete' }).click();
      await row.getByText('This message was deleted.').waitFor();
      await question(page).waitFor(gone);
      await isFocused();
    });
  });
});

describe('what is left of a list has the focus', () => {
  it('when a device was rejected or approved', async () => {
    for (const labelHint of ['laptop', 'phone', 'tablet'])
      await as('ada').call('enroll', { body: { labelHint } });
    await on('/app/admin/machines', async (page) => {
      const waiting = page.getByRole('region', { name: 'Waiting for you' });
      const row = (label: string) => waiting.getByRole('listitem').filter({ hasText: label });
      await row('laptop').getByRole('button', { name: 'Reject…' }).click();
      await page.keyboard.press('Escape');
      await dialog(page, /^Reject/).waitFor(gone);
      await focused(page).toBe('button Reject…');
      await row('laptop').getByRole('button', { name: 'Reject…' }).click();
      await dialog(page, /^Reject/)
        .getByRole('button', { name: 'Reject device' })
        .click();
      await row('laptop').waitFor(gone);
      await dialog(page, /^Reject/).waitFor(gone);
      await focused(page).toBe('button Approve…');
      await row('phone').getByRole('button', { name: 'Approve…' }).click();
      const approval = dialog(page, /^Approve/);
      await choose(approval, 'Member', 'kim');
      await approval.getByRole('button', { name: 'Approve device' }).click();
      await row('phone').waitFor(gone);
      await approval.waitFor(gone);
      await focused(page).toBe('button Approve…');
      await row('tablet').getByRole('button', { name: 'Reject…' }).click();
      await dialog(page, /^Reject/)
        .getByRole('button', { name: 'Reject device' })
        .click();
      await row('tablet').waitFor(gone);
      await dialog(page, /^Reject/).waitFor(gone);
      await focused(page).toBe('div Waiting for you');
    });
  });

  it('when an item that needed the member is done', async () => {
    await as('ben').call('push', { body: { to: 'dan', body: 'First' } });
    await as('cy').call('push', { body: { to: 'dan', body: 'Second' } });
    await on(
      '/app',
      async (page) => {
        const list = page.getByRole('region', { name: 'What needs you' });
        const items = list.getByRole('link', { name: /direct message from (ben|cy)/ });
        await expect.poll(() => items.count()).toBe(2);
        const row = list.getByRole('listitem').filter({ hasText: 'from ben' });
        await row.getByRole('button', { name: 'Clear' }).click();
        await expect.poll(() => items.count()).toBe(1);
        await focused(page).toContain('direct message from cy');
        await list.getByRole('button', { name: 'Clear' }).click();
        await list.getByText('Nothing needs you').waitFor();
        await focused(page).toBe('section What needs you');
      },
      { as: 'dan' },
    );
  });

  it('when a file or a folder was deleted', async () => {
    for (const path of ['a.txt', 'b.txt', 'old/c.txt', 'old/deep/d.txt']) await write('eve', `/eve/${path}`);
    await on(
      '/app/files?path=/eve',
      async (page) => {
        const entries = page.getByRole('list', { name: 'Files' });
        const entry = (name: RegExp) => entries.getByRole('link', { name });
        await entry(/^a\.txt/).focus();
        await openAndEscape(page, 'Enter', 'a.txt');
        await focused(page).toMatch(/^a a\.txt/);
        await page.keyboard.press('Enter');
        await button(page, 'Delete a.txt').click();
        await question(page).getByRole('button', { name: 'Delete a.txt' }).click();
        await entry(/^a\.txt/).waitFor(gone);
        await dialog(page, 'a.txt').waitFor(gone);
        await focused(page).toMatch(/^a b\.txt/);
        await button(page, 'Delete the folder old').click();
        await question(page).getByRole('button', { name: 'Cancel' }).click();
        await question(page).waitFor(gone);
        await focused(page).toBe('button Delete the folder old');
        await page.keyboard.press('Enter');
        await question(page)
          .getByRole('button', { name: /^Delete old/ })
          .click();
        await entry(/^old/).waitFor(gone);
        await question(page).waitFor(gone);
        await focused(page).toMatch(/^a b\.txt/);
        await button(page, 'New folder').click();
        await page.keyboard.press('Escape');
        await dialog(page, 'New folder').waitFor(gone);
        await focused(page).toBe('button New folder');
      },
      { as: 'eve' },
    );
  });
});

const objective = async (title: string, assignee = 'ada') =>
  (
    await as('ada').call('createObjective', {
      body: { title, outcome: 'It is drawn', assignee, body: '' },
    })
  ).id;

describe('an action on the page of an objective', () => {
  /** Opens the question of the action with this control twice, and closes it without a change. */
  async function leaves(page: Page, open: () => Promise<void>, name: string, back: string, after: string) {
    await open();
    await dialog(page, name).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page, name).waitFor(gone);
    await focused(page).toBe(after);
    await open();
    await dialog(page, name).getByRole('button', { name: back, exact: true }).click();
    await dialog(page, name).waitFor(gone);
    await focused(page).toBe(after);
  }
  const fromMore = (page: Page, name: string) => async () => {
    await button(page, 'More').press('Enter');
    await page.getByRole('menuitem', { name }).press('Enter');
  };

  it('keeps the focus on its button while the objective is open', async () => {
    const id = await objective('Sound the sandbank');
    await on(`/app/objectives/${id}`, async (page) => {
      const block = () => button(page, 'Block').press('Enter');
      await leaves(page, block, 'Block objective', 'Go back', 'button Block');
      await block();
      await page.getByLabel('What is missing, and from whom?').fill('A boat');
      await dialog(page, 'Block objective').getByRole('button', { name: 'Block' }).click();
      await button(page, 'Unblock').waitFor();
      await focused(page).toBe('button Unblock');
      await page.keyboard.press('Enter');
      await button(page, 'Block').waitFor();
      await focused(page).toBe('button Block');
      await leaves(page, fromMore(page, 'Reassign'), 'Reassign objective', 'Cancel', 'button More');
      await leaves(page, fromMore(page, 'Change watchers'), 'Watchers', 'Cancel', 'button More');
      await fromMore(page, 'Change watchers')();
      await dialog(page, 'Watchers').getByLabel('ben').check();
      await dialog(page, 'Watchers').getByRole('button', { name: 'Save watchers' }).click();
      await dialog(page, 'Watchers').waitFor(gone);
      await focused(page).toBe('button More');
      await fromMore(page, 'Reassign')();
      await choose(dialog(page, 'Reassign objective'), 'New assignee', 'ben');
      await dialog(page, 'Reassign objective').getByRole('button', { name: 'Reassign' }).click();
      await button(page, 'Complete').waitFor(gone);
      await focused(page).toBe('button More');
    });
  });

  it('gives the focus to its button after a key without a focus', async () => {
    const id = await objective('Sound the bar');
    await on(`/app/objectives/${id}`, async (page) => {
      await button(page, 'Complete').waitFor();
      await openAndEscape(page, 'f', 'Complete objective');
      await focused(page).toBe('button Complete');
    });
  });

  it('gives the focus to the menu of the page when the objective has ended, or to what is left in its dialog', async () => {
    const completed = await objective('Sound the fjord');
    const canceled = await objective('Sound the firth');
    const complete = async (page: Page) => {
      const open = () => button(page, 'Complete').press('Enter');
      await leaves(page, open, 'Complete objective', 'Go back', 'button Complete');
      await open();
      await page.getByLabel('Result').fill('Sheet 3');
      await dialog(page, 'Complete objective').getByRole('button', { name: 'Complete' }).click();
      // While it closes, its button and that of the page have the same name.
      await dialog(page, 'Complete objective').waitFor(gone);
      await button(page, 'Complete').waitFor(gone);
    };
    await on(`/app/objectives/${completed}`, async (page) => {
      await complete(page);
      await focused(page).toBe('button More');
    });
    await on(`/app/objectives/${canceled}`, async (page) => {
      const open = fromMore(page, 'Cancel objective');
      await leaves(page, open, 'Cancel objective', 'Go back', 'button More');
      await open();
      await dialog(page, 'Cancel objective').getByRole('button', { name: 'Cancel objective' }).click();
      await button(page, 'Complete').waitFor(gone);
      await focused(page).toBe('button More');
    });
    const ended = await objective('Sound the fleet');
    await on(`/app/objectives/${ended}`, async (page) => {
      await fromMore(page, 'Cancel objective')();
      await question(page).or(dialog(page, 'Cancel objective')).waitFor();
      await as('ada').call('cancelObjective', { params: { id: ended }, body: {} });
      // Behind the dialog, the page already has no action left but those of the menu.
      await page.locator('[data-act="complete"]').waitFor(gone);
      await page.keyboard.press('Escape');
      await dialog(page, 'Cancel objective').waitFor(gone);
      await focused(page).toBe('button More');
    });
    await objective('Sound the ford');
    await on('/app/objectives?q=ford', async (page) => {
      await page.getByRole('link', { name: 'Sound the ford' }).focus();
      await page.keyboard.press('Space');
      await complete(page);
      await focused(page).toBe('a Open');
    });
  });
});
