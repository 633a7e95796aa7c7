/**
 * Text that a person types stays until it is sent, the form shows what is sent, and no newer change by others is
 * undone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBroker } from '../../broker/create-broker.ts';
import { createLog } from '../../broker/runtime/log.ts';
import { builtConsole } from './testing/built-console.ts';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['operator'], kim: [], lin: [] } });
});
afterAll(() => shared?.stop());

const ada = () => shared.team.as('ada');
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const newObjective = (title: string, watchers: string[] = []) =>
  ada().call('createObjective', { body: { title, outcome: 'Done', assignee: 'ben', body: '', watchers } });
const open = async (path: string) => {
  const opened = await shared.open('ada', { path });
  return opened;
};

describe('a new objective', () => {
  it('whose answer was lost is created once, however often it is tried', async () => {
    const { page, context } = await open('/app/objectives?create=true');
    await dialog(page, 'New objective').getByLabel('Title').fill('Sound the channel');
    await page.getByLabel('Outcome').fill('Depths are known');
    await choose(dialog(page, 'New objective'), 'Assignee', 'ben');
    let tries = 0;
    await page.route(/:\d+\/objectives$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      return tries++ === 0 ? route.abort() : route.fulfill({ response });
    });
    const create = page.getByRole('button', { name: 'Create objective' });
    await create.click();
    await page.getByRole('alert').getByText('cannot be reached', { exact: false }).waitFor();
    await create.click();
    await page.getByRole('heading', { name: 'Sound the channel', level: 1 }).waitFor();
    const { objectives } = await ada().call('objectives', { query: {} });
    expect(objectives.filter(({ title }) => title === 'Sound the channel')).toHaveLength(1);
    await context.close();
  });
});

describe('a form for something that others change as well', () => {
  it('keeps what is typed about a member, and saves only that', async () => {
    const { page, context, errors } = await open('/app/admin/people?member=lin');
    await page.getByLabel('Instructions').fill('Look at the tides');
    const role = { title: 'Tide analyst', description: '' };
    await ada().call('updateMember', { params: { name: 'lin' }, body: { role } });
    await expect.poll(() => page.getByLabel('Role', { exact: true }).inputValue()).toBe('Tide analyst');
    expect(await page.getByLabel('Instructions').inputValue()).toBe('Look at the tides');
    // The page does not learn of this change before the button is pressed.
    await page.route(/\/members(\?|$)/, (route) => route.abort());
    await ada().call('updateMember', { params: { name: 'lin' }, body: { permissions: ['observer'] } });
    const saved = await watchFor(page, 'lin was saved');
    await page.getByRole('button', { name: 'Save' }).click();
    await saved();
    const { members } = await ada().call('members', {});
    const lin = members.find(({ name }) => name === 'lin');
    expect(lin).toMatchObject({ instructions: 'Look at the tides', rawPermissions: ['observer'], role });
    expect(errors.filter((error) => !error.includes('ERR_FAILED'))).toEqual([]);
    await context.close();
  });

  it('keeps what is typed about the team, and says when somebody has changed the same field', async () => {
    const { page, context } = await open('/app/admin/team');
    await page.getByLabel('Brief').fill('The boat leaves at nine');
    await ada().call('updateTeam', { body: { directive: 'Ship the map' } });
    await expect.poll(() => page.getByLabel('Directive').inputValue()).toBe('Ship the map');
    expect(await page.getByLabel('Brief').inputValue()).toBe('The boat leaves at nine');
    await ada().call('updateTeam', { body: { brief: 'The boat leaves at ten' } });
    await page.getByText('Brief: another member has changed this field', { exact: false }).waitFor();
    expect(await page.getByLabel('Brief').inputValue()).toBe('The boat leaves at nine');
    const saved = await watchFor(page, 'The team was saved');
    await page.getByRole('button', { name: 'Save team' }).click();
    await saved();
    expect(await ada().call('team', {})).toMatchObject({
      directive: 'Ship the map',
      brief: 'The boat leaves at nine',
    });
    await page
      .getByText('another member has changed this field', { exact: false })
      .waitFor({ state: 'detached' });
    await context.close();
  });

  it('leaves watchers alone that somebody else added', async () => {
    const { id } = await newObjective('Draw the pier');
    const { page, context } = await open(`/app/objectives/${id}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Change watchers' }).click();
    const box = (name: string) => dialog(page, 'Watchers').getByRole('checkbox', { name });
    await box('lin').check();
    await ada().call('updateWatchers', { params: { id }, body: { add: ['kim'], remove: [] } });
    await expect.poll(() => box('kim').isChecked()).toBe(true);
    expect(await box('lin').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Save watchers' }).click();
    await dialog(page, 'Watchers').waitFor({ state: 'detached' });
    const { objective } = await ada().call('objective', { params: { id } });
    expect([...objective.watchers].sort()).toEqual(['kim', 'lin']);
    await context.close();
  });
});

describe('typed text', () => {
  it('is posted as it is to an objective’s thread, where posts have no level', async () => {
    const { id } = await newObjective('Light the mole');
    const { page, context } = await open(`/app/objectives/${id}`);
    await page.getByLabel('Message the thread').fill('/warning the lamp is out');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('the lamp is out', { exact: false }).waitFor();
    const { messages } = await ada().call('history', { query: { objective: id } });
    expect(messages[0]?.body).toBe('/warning the lamp is out');
    await context.close();
  });

  it.each([
    ['objectives', 'Filter objectives'],
    ['members', 'Filter members'],
    ['channels', 'Filter channels'],
    ['conversations/general', 'Search messages and objectives'],
  ])('stays in order in the filter of %s, also in the middle', async (path, label) => {
    const { page, context } = await open(`/app/${path}`);
    const input = page.getByLabel(label);
    await input.waitFor();
    await input.focus();
    await page.keyboard.type('breakwater');
    await expect.poll(() => input.inputValue()).toBe('breakwater');
    await page.keyboard.press('Home');
    await page.keyboard.type('old ');
    await expect.poll(() => input.inputValue()).toBe('old breakwater');
    await expect.poll(() => page.url()).toMatch(/old(\+|%20)breakwater/);
    await context.close();
  });
});

describe('a dialog', () => {
  it('with typed text is not closed by a click beside it; Esc asks first, and closes one layer at a time', async () => {
    const { id } = await newObjective('Mark the reef');
    const { page, context } = await open('/app/objectives?create=true');
    const form = dialog(page, 'New objective');
    await form.getByLabel('Title').fill('Half a thought');
    await page.mouse.click(5, 5);
    expect(await form.getByLabel('Title').inputValue()).toBe('Half a thought');
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await form.waitFor({ state: 'detached' });
    await page.goto(`/app/objectives?peek=${id}`);
    const peek = dialog(page, 'Mark the reef');
    await peek.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Cancel objective' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
    expect(await peek.count()).toBe(1);
    await peek.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Cancel objective' }).click();
    await dialog(page, 'Cancel objective').getByLabel('Reason').fill('g c ?');
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Cancel objective').waitFor({ state: 'detached' });
    expect(await peek.count()).toBe(1);
    // The button that has the focus again shows its tooltip, which closes first.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
    await context.close();
  });
});

it('accepts a setup key that is typed letter by letter and corrected', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-setup-'));
  const broker = await createBroker({
    configPath: join(folder, 'svc.json'),
    env: {},
    log: createLog({ destination: { write: () => undefined } }),
    consoleFolder: await builtConsole(),
  });
  const page = await shared.browser.newPage();
  try {
    await page.goto(`${(await broker.listen({ port: 0 }))[0]?.url}/setup`);
    const key = page.getByLabel('Setup key');
    await key.focus();
    await page.keyboard.type('not the key');
    expect(await key.inputValue()).toBe('not the key');
    await page.getByLabel('Team name').fill('Harbour');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Your name').fill('ada');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await key.fill(broker.setupKey ?? '');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('img', { name: 'QR code for an authenticator' }).waitFor();
  } finally {
    await page.close();
    await broker.close();
    await rm(folder, { recursive: true });
  }
});
