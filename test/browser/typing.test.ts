/** Typing begins where a person expects it, and the keyboard alone submits what was typed. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
/** Opens the path, runs the steps, and expects that the page complained about nothing. */
async function on(path: string, steps: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, errors } = await shared.open('ada', { path });
  await steps(page);
  expect(errors).toEqual([]);
  await context.close();
}

describe('typing begins in the text field', () => {
  it('after `g c`, from another screen and from another conversation', () =>
    on('/app/admin/people', async (page) => {
      const press = async () => {
        await page.keyboard.press('g');
        await page.keyboard.press('c');
      };
      await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
      await press();
      await focused(page).toBe('textarea Message #general');
      await page.getByRole('link', { name: /^ben/ }).click();
      await page.getByLabel('Message ben').waitFor();
      await press();
      await focused(page).toBe('textarea Message #general');
    }));

  it('after Answer', async () => {
    await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'Where is the chart?' } });
    await on('/app/conversations/dm:ben', async (page) => {
      await page.getByRole('log').getByRole('button', { name: 'Answer ben' }).click();
      await focused(page).toBe('textarea Message ben');
    });
  });
});

describe('after a dialog created', () => {
  it('an objective, its page has the focus, and Ctrl with Enter submits it from a list of choices', () =>
    on('/app/objectives', async (page) => {
      await page.getByRole('button', { name: 'New objective' }).first().click();
      const form = dialog(page, 'New objective');
      await form.getByLabel('Title').fill('Sound the bay');
      await form.getByLabel('Outcome').fill('Depths are known');
      await choose(form, 'Assignee', 'ben');
      await form.getByLabel('Assignee', { exact: true }).press('ControlOrMeta+Enter');
      await page.getByRole('heading', { name: 'Sound the bay', level: 1 }).waitFor();
      await focused(page).toMatch(/^section (Sound the bay|Objective)/);
    }));

  it('a channel, the text field has the focus', () =>
    on('/app/conversations/general?create=true', async (page) => {
      await dialog(page, 'New channel').getByLabel('Name', { exact: true }).fill('harbour');
      await dialog(page, 'New channel').getByRole('checkbox').press('ControlOrMeta+Enter');
      await focused(page).toBe('textarea Message #harbour');
    }));

  it('a member, the button that opened it has the focus', () =>
    on('/app/admin/people', async (page) => {
      await page.getByRole('button', { name: 'New member' }).press('Enter');
      const form = dialog(page, 'New member');
      await form.getByLabel('Name', { exact: true }).fill('lin');
      await form.getByLabel('Role', { exact: true }).fill('Pilot');
      await form.getByRole('checkbox').first().press('ControlOrMeta+Enter');
      await dialog(page, 'Token of lin').getByRole('button', { name: 'I have copied the token' }).click();
      await dialog(page, 'Token of lin').waitFor({ state: 'detached' });
      await focused(page).toBe('button New member');
    }));
});
