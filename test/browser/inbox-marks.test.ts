/** Items of the inbox that a member clears, puts off, or takes back, and that change elsewhere meanwhile. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], kim: [], lin: ['operator'], max: ['operator'], noa: [], oda: [], pia: [] },
  });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const tell = (from: string, to: string, body: string) => as(from).call('push', { body: { to, body } });
const list = (page: Page) => page.getByRole('region', { name: 'What needs you' });
const row = (page: Page, name: string | RegExp) => list(page).getByRole('link', { name });

it('goes away in another window as soon as it is dealt with there', async () => {
  await tell('kim', 'lin', 'The tide turns at six');
  const first = await shared.open('lin');
  await row(first.page, /direct message from kim/).waitFor();
  const icon = () => first.page.locator('link[rel="icon"]').getAttribute('href');
  await expect.poll(icon).toMatch(/^data:image/);
  const second = await shared.open('lin', { path: '/app/conversations/dm:kim' });
  await second.page.getByRole('log').getByText('The tide turns at six').waitFor();
  await list(first.page).getByText('Nothing needs you').waitFor();
  await expect.poll(() => first.page.title()).toBe('Inbox · Muster');
  await expect.poll(icon).not.toMatch(/^data:image/);
  await first.context.close();
  await second.context.close();
});

it('comes back when the broker refuses, with an error', async () => {
  await tell('kim', 'max', 'The tide turns at seven');
  const { page, context } = await shared.open('max');
  await row(page, /direct message from kim/).waitFor();
  await page.route('**/attention', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 400, body: '{}' }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('The action failed').first().waitFor();
  await row(page, /direct message from kim/).waitFor();
  await context.close();
});

it('leaves the list when the member comes back to the tab, if it was dealt with on another device', async () => {
  await tell('kim', 'oda', 'The buoy drifts');
  const { page, context, errors } = await shared.open('oda');
  await row(page, /direct message from kim/).waitFor();
  const [item] = (await as('oda').call('inbox', {})).items;
  await as('oda').call('markAttention', { body: { item: item?.key ?? '', until: null } });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await row(page, /direct message from kim/).waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('is taken back by z, whether the palette or the list marked it', async () => {
  await tell('lin', 'noa', 'The list marks it');
  await tell('max', 'noa', 'The palette marks it');
  const { page, context, errors } = await shared.open('noa');
  const texts = () =>
    list(page)
      .getByRole('link', { name: /marks it/ })
      .allTextContents();
  await row(page, /The list marks it/).focus();
  await page.keyboard.press('e');
  await expect.poll(async () => (await texts()).length).toBe(1);
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: /^Search screens/ }).fill('later direct message from max');
  await page.getByRole('option', { name: /^Later \(next Monday\): .* from max/ }).waitFor();
  await page.getByRole('combobox', { name: /^Search screens/ }).fill('clear direct message from max');
  await page.getByRole('option', { name: /^Clear: .* from max/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(texts).toEqual([]);
  await page.getByRole('combobox').waitFor({ state: 'detached' });
  await page.keyboard.press('z');
  await row(page, /The palette marks it/).waitFor();
  expect(await texts()).toHaveLength(1);
  await page.keyboard.press('z');
  await row(page, /The list marks it/).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('stays cleared when the page is reloaded while an earlier change waits for its answer', async () => {
  await tell('kim', 'pia', 'The first lamp is out');
  await tell('lin', 'pia', 'The second lamp is out');
  await tell('max', 'pia', 'The third lamp is out');
  const { page, context } = await shared.open('pia');
  await row(page, /from max/).waitFor();
  await page.route('**/attention', () => undefined, { times: 1 });
  for (const from of ['kim', 'lin', 'max']) {
    await row(page, new RegExp(`from ${from}`)).focus();
    await page.keyboard.press('e');
    await row(page, new RegExp(`from ${from}`)).waitFor({ state: 'detached' });
  }
  await page.keyboard.press('z');
  await row(page, /from max/).waitFor();
  await page.reload();
  await expect
    .poll(async () => (await as('pia').call('inbox', {})).items.map(({ title }) => title))
    .toEqual(['1 direct message from max']);
  await context.close();
});

it('offers no time to put off a device whose code ends before it, and lists devices in the order of Machines', async () => {
  for (const labelHint of ['laptop one', 'laptop two'])
    await as('ada').call('enroll', { body: { labelHint } });
  const { page, context, errors } = await shared.open('ada');
  await tell('kim', 'ada', 'The ebb begins');
  await row(page, /direct message from kim/).waitFor();
  const words = (labels: readonly string[]) =>
    labels.flatMap((label) => /laptop (one|two)/.exec(label)?.[1] ?? []);
  expect(words(await list(page).getByRole('link').allTextContents())).toEqual(['two', 'one']);
  expect(await list(page).getByRole('button', { name: 'Later' }).count()).toBe(1);
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: /^Search screens/ }).fill('approve');
  const options = page.getByRole('option', { name: /laptop/ });
  await options.first().waitFor();
  expect(words(await options.allTextContents()).slice(0, 2)).toEqual(['two', 'one']);
  expect(await page.getByRole('option', { name: /^Later .*laptop/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.goto('/app/admin/machines');
  const devices = page.getByRole('group', { name: 'Waiting for you' }).getByRole('listitem');
  await devices.first().waitFor();
  expect(words(await devices.allTextContents())).toEqual(['two', 'one']);
  expect(errors).toEqual([]);
  await context.close();
});

it('does not move the other items when the pointer shows its actions beside an open one', async () => {
  const { page, context, errors } = await shared.open('ada');
  await row(page, /laptop two is waiting/).click();
  await page.getByRole('region', { name: 'Opened item' }).waitFor();
  const below = row(page, /direct message from kim/);
  await page.mouse.move(0, 0);
  const before = await below.boundingBox();
  const pointed = list(page).getByRole('listitem').filter({ hasText: 'laptop one' });
  await pointed.hover();
  await pointed.getByRole('button', { name: 'Approve' }).waitFor();
  expect(await below.boundingBox()).toEqual(before);
  expect(errors).toEqual([]);
  await context.close();
});
