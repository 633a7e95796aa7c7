/** The focus after signing out, revoking, and removing on the page of a member (specification/console.md#habits). */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], lin: [], lou: [] } });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
/** Opens the path, runs the steps, and expects that the page complained about nothing. */
async function on(path: string, steps: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, errors } = await shared.open('ada', { path });
  await steps(page);
  expect(errors).toEqual([]);
  await context.close();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const question = (page: Page) => page.getByRole('alertdialog');
const gone = { state: 'detached' } as const;

describe('the page of a member', () => {
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const secretOf = async (name: string) =>
    (await as('ada').call('enrollTotp', { params: { name } })).totpSecret;
  async function logIn(member: string, code: string, program: string): Promise<void> {
    const headers = { 'content-type': 'application/json', 'user-agent': program };
    const body = JSON.stringify({ code, member });
    const reply = await fetch(`${shared.team.url}/session/totp`, { method: 'POST', headers, body });
    expect(reply.status).toBe(200);
  }
  /** Opens the question twice, closes it without a change, and expects the focus on the button again. */
  async function asks(page: Page, opener: Locator, name: string): Promise<void> {
    await opener.press('Enter');
    await question(page).waitFor();
    await page.keyboard.press('Escape');
    await question(page).waitFor(gone);
    await focused(page).toBe(`button ${name}`);
    await page.keyboard.press('Enter');
    await question(page).getByRole('button', { name: 'Cancel' }).click();
    await question(page).waitFor(gone);
    await focused(page).toBe(`button ${name}`);
  }
  /** Returns every title that a question has from now on, also while it closes. */
  async function titlesOf(page: Page): Promise<() => Promise<unknown>> {
    const seen = await page.evaluateHandle(`(() => {
      const seen = new Set();
      new MutationObserver(() => {
        const title = document.querySelector('[role=alertdialog] h2')?.textContent;
        if (title) seen.add(title);
      }).observe(document, { subtree: true, childList: true, characterData: true });
      return seen;
    })()`);
    return () => seen.evaluate((titles) => [...(titles as Set<string>)]);
  }
  async function does(page: Page, opener: Locator, act: string): Promise<void> {
    await opener.press('Enter');
    await question(page).getByRole('button', { name: act }).click();
    await question(page).waitFor(gone);
  }

  it('keeps the focus in the tokens when one is revoked or all are rotated', async () => {
    for (const label of ['laptop', 'tablet']) {
      const { userCode } = await as('ada').call('enroll', { body: { labelHint: label } });
      const body = { mode: 'bind', userCode, memberName: 'lin', label } as const;
      await as('ada').call('approveEnrollment', { body });
    }
    await on('/app/admin/people?member=lin', async (page) => {
      const tokens = region(page, 'Tokens and devices');
      const revoke = (label: string) => tokens.getByRole('button', { name: `Revoke ${label}` });
      const labels = ['Primary token', 'laptop', 'tablet'];
      await revoke('tablet').waitFor();
      const titles = await titlesOf(page);
      await asks(page, revoke('laptop'), 'Revoke laptop');
      expect(await titles()).toEqual(['Revoke laptop?']);
      for (const label of labels) {
        await does(page, revoke(label), 'Revoke token');
        await revoke(label).waitFor(gone);
        await focused(page).toMatch(label === 'tablet' ? /^button Replace all tokens…$/ : /^button Revoke /);
      }
      await asks(page, button(page, 'Replace all tokens…'), 'Replace all tokens…');
      await does(page, button(page, 'Replace all tokens…'), 'Replace all tokens of lin');
      await dialog(page, 'Token of lin').getByRole('button', { name: 'I have copied the token' }).click();
      await dialog(page, 'Token of lin').waitFor(gone);
      await focused(page).toBe('button Replace all tokens…');
    });
  });

  it('keeps the focus in the sessions when one or all are signed out', async () => {
    const secret = await secretOf('lin');
    await logIn('lin', codeAt(secret, Date.now()), 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0');
    await logIn('lin', codeAt(secret, Date.now() + 30_000), 'a script');
    await logIn('lou', codeAt(await secretOf('lou'), Date.now()), 'a script');
    const signOut = (page: Page, of: RegExp) => region(page, 'Sessions').getByRole('button', { name: of });
    await on('/app/admin/people?member=lin', async (page) => {
      await does(page, signOut(page, /^Sign out of Firefox/), 'Sign out');
      await signOut(page, /^Sign out of Firefox/).waitFor(gone);
      await focused(page).toMatch(/^button Sign out of /);
      await does(page, signOut(page, /^Sign out of /), 'Sign out');
      await signOut(page, /^Sign out/)
        .first()
        .waitFor(gone);
      await focused(page).toMatch(/^div Sessions/);
    });
    await on('/app/admin/people?member=lou', async (page) => {
      const everywhere = signOut(page, /^Sign out everywhere/);
      await asks(page, everywhere, 'Sign out everywhere');
      await does(page, everywhere, 'Sign out everywhere');
      await everywhere.waitFor(gone);
      await focused(page).toMatch(/^div Sessions/);
    });
  });

  it('leads to the next member after the removal', () =>
    on('/app/admin/people?member=lou', async (page) => {
      await asks(page, button(page, 'Delete lou'), 'Delete lou');
      await does(page, button(page, 'Delete lou'), 'Delete lou');
      await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
      await focused(page).toMatch(/^a .*lin/);
    }));
});
