/** A whole day of an operator at the keyboard and mouse, from the setup link to a full team. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import { type Broker, createBroker } from '../../broker/create-broker.ts';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import { createLog } from '../../broker/runtime/log.ts';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { builtConsole } from './testing/built-console.ts';
import { choose } from './testing/choose.ts';
import { complaintsOf, launchChromium } from './testing/chromium.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';

let folder: string;
let broker: Broker;
let browser: Browser;
showPagesOfFailures(() => browser);
let page: Page;
let errors: string[];
let url: string;
const tokenByName = new Map<string, string>();

const as = (name: string): BrokerClient =>
  createClient(({ url: path, ...init }) =>
    fetch(url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${tokenByName.get(name)}` },
    }),
  );

/** A time zone in which it is about noon, so that the end of the day is far away. */
function aroundNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  // The signs of these names are reversed.
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

beforeAll(async () => {
  const consoleFolder = await builtConsole();
  folder = await mkdtemp(join(tmpdir(), 'muster-day-'));
  broker = await createBroker({
    configPath: join(folder, 'svc.json'),
    filesRoot: join(folder, 'files'),
    env: {},
    log: createLog({ destination: { write: () => undefined } }),
    consoleFolder,
  });
  url = (await broker.listen({ port: 0 }))[0]?.url ?? '';
  browser = await launchChromium();
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: aroundNoon(),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  page = await context.newPage();
  errors = complaintsOf(page, url);
});
afterAll(async () => {
  await browser?.close();
  await broker?.close();
  await rm(folder, { recursive: true, force: true });
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (name: string | RegExp) => page.getByLabel(name, { exact: typeof name === 'string' });
const visit = (name: string) =>
  page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click();
async function visitAdmin(part: string): Promise<void> {
  await page.getByRole('link', { name: /Admin$/ }).click();
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: part }).click();
}
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });

describe('the day of an operator', () => {
  let secret: string;

  it('begins with the link that the broker printed: team, operator, and authenticator, and logs in', async () => {
    await page.goto(`/setup#key=${broker.setupKey}`);
    await field('Team name').fill('Harbour');
    expect(await page.getByLabel('Setup key').count()).toBe(0);
    await expect.poll(() => page.url()).not.toContain('key=');
    await field('Directive').fill('Ship the harbour map');
    await button('Next').click();
    await field('Your name').fill('ada');
    await button('Next').click();
    secret = await field('Secret').inputValue();
    await field('Current code').fill('000000');
    await page.getByText('The code is not the current one', { exact: false }).waitFor();
    const [made] = await Promise.all([
      page.waitForResponse((reply) => reply.url() === `${url}/setup` && reply.request().method() === 'POST'),
      field('Current code').fill(codeAt(secret, Date.now())),
    ]);
    const { token } = (await made.json()) as { token: string };
    tokenByName.set('ada', token);
    await page.getByText('Harbour is set up, and you are logged in as ada.').waitFor();
    expect(await page.content()).not.toContain(token);
    expect((await as('ada').call('roster', {})).teammates).toHaveLength(1);
  });

  it('continues with the first screen, which says how others join', async () => {
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await page.getByText('Ship the harbour map').waitFor();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Enroll an authenticator' })
      .getByLabel('Done')
      .waitFor();
    await page.getByText('muster setup --https', { exact: false }).waitFor();
    expect(await field('Join command').count()).toBe(0);
    // The browser itself logs that there was no session before the login, and that the setup refused a code.
    expect(errors.filter((error) => !/ 401 | 400 .*\/setup$/.test(error))).toEqual([]);
    errors.length = 0;
  });

  it('logs in with a code in another browser, and refuses a wrong one', async () => {
    const context = await browser.newContext({ baseURL: url });
    const outside = await context.newPage();
    await outside.goto('/app');
    await outside.getByLabel('Member').fill('ada');
    await outside.getByLabel('Code').fill('000000');
    await outside.getByText('This code is not valid', { exact: false }).waitFor();
    // The setup used the present code.
    await outside.getByLabel('Code').fill(codeAt(secret, Date.now() + 30_000));
    await outside.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await context.close();
  });

  it('creates members with presets, and shows each token once', async () => {
    for (const [name, preset] of [
      ['ben', 'operator'],
      ['kim', null],
    ] as const) {
      await visitAdmin('People');
      await button('New member').click();
      const form = dialog('New member');
      await form.getByLabel('Name', { exact: true }).fill(name);
      await form.getByLabel('Role', { exact: true }).fill('Cartographer');
      if (preset !== null) await form.getByRole('checkbox', { name: preset }).check();
      await form.getByRole('button', { name: 'Create member' }).click();
      const once = dialog(`Token of ${name}`);
      tokenByName.set(name, await once.getByLabel('Token', { exact: true }).inputValue());
      const copied = await watchFor(page, 'Copied');
      await once.getByRole('button', { name: 'Copy' }).first().click();
      await copied();
      await once.getByRole('button', { name: 'I have copied the token' }).click();
      await page.getByRole('link', { name: new RegExp(`^${name}`) }).waitFor();
    }
    await page.getByRole('link', { name: /^kim/ }).click();
    await field('Role').fill('Surveyor');
    const saved = await watchFor(page, 'kim was saved');
    await button('Save').click();
    await saved();
    expect((await as('kim').call('session', {})).role.title).toBe('Surveyor');
  });

  it('approves a device that asks to join, and rejects another one with a reason', async () => {
    const enroll = async (labelHint: string) => {
      const reply = await fetch(`${url}/enroll`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ labelHint }),
      });
      return (await reply.json()) as { deviceCode: string; userCode: string };
    };
    await visitAdmin('Machines');
    const laptop = await enroll('laptop of kim');
    const unknown = await enroll('somebody else');
    const row = page.getByRole('listitem').filter({ hasText: laptop.userCode });
    await row.getByRole('button', { name: 'Approve…' }).click();
    const form = dialog(`Approve ${laptop.userCode}`);
    await choose(form, 'Member', 'kim');
    const approved = await watchFor(page, `${laptop.userCode} was approved as kim`);
    await form.getByRole('button', { name: 'Approve device' }).click();
    await approved();
    await page
      .getByRole('listitem')
      .filter({ hasText: unknown.userCode })
      .getByRole('button', { name: 'Reject…' })
      .click();
    await dialog(`Reject ${unknown.userCode}`).getByLabel('Reason (optional)').fill('not ours');
    await button('Reject device').click();
    await page.getByText('No device is waiting').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'not ours' }).getByText('rejected').waitFor();
    const poll = await fetch(`${url}/enroll/poll`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ deviceCode: laptop.deviceCode }),
    });
    expect(await poll.json()).toMatchObject({ member: { name: 'kim' } });
  });

  it('creates a channel, adds a member, renames it, posts in it, and archives it', async () => {
    await visit('Messages');
    await button('Browse channels').click();
    await dialog('Channels').getByRole('button', { name: 'New channel' }).click();
    await dialog('New channel').getByLabel('Name', { exact: true }).fill('charts');
    await button('Create channel').click();
    await field('Message #charts').waitFor();
    await button('Options of this conversation').click();
    await page.getByRole('menuitem', { name: 'Channel settings' }).click();
    const detail = dialog('#charts');
    await choose(detail, 'Add a member', 'kim');
    await detail.getByRole('button', { name: 'Add', exact: true }).click();
    await detail.getByLabel('Role of kim').waitFor();
    await detail.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('maps');
    await button('Rename').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await field('Message #maps').fill('Soundings are **in**, @ki');
    await page.getByRole('option', { name: '@kim' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('look');
    await page.keyboard.press('Enter');
    const log = page.getByRole('log', { name: 'Messages' });
    await log.getByText('@kim look', { exact: false }).waitFor();
    const { channels } = await as('kim').call('channels', {});
    const thread = `chan:${channels.find(({ slug }) => slug === 'maps')?.id}`;
    await as('kim').call('push', { body: { to: null, body: 'Seen from kim', data: { thread } } });
    await log.getByText('Seen from kim').waitFor();
    await button('Browse channels').click();
    await page.getByRole('list', { name: 'Channels' }).getByRole('link', { name: /maps/ }).click();
    await button('Archive #maps').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive #maps' }).click();
    await dialog('#maps').getByText('This channel is archived', { exact: false }).waitFor();
    await page.keyboard.press('Escape');
    await dialog('Channels').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Channels').waitFor({ state: 'detached' });
  });

  it('takes an objective through every transition', async () => {
    const create = async (title: string, assignee: string, watcher: string) => {
      await visit('Objectives');
      await button('New objective').click();
      const form = dialog('New objective');
      await form.getByLabel('Title').fill(title);
      await form.getByLabel('Outcome').fill('A map that ships');
      await choose(form, 'Assignee', assignee);
      await form.getByRole('checkbox', { name: watcher }).check();
      await form.getByRole('button', { name: 'Create objective' }).click();
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    };
    await create('Draw the coast', 'kim', 'ben');
    const log = page.getByRole('log', { name: 'Messages' });
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Block objective' }).click();
    await field('What is missing, and from whom?').fill('the tide tables of ben');
    await dialog('Block objective').getByRole('button', { name: 'Block' }).click();
    await log.getByText('the tide tables of ben').waitFor();
    await button('Unblock').click();
    await log.getByText('ada unblocked it').waitFor();
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Reassign' }).click();
    await choose(page, 'New assignee', 'ada');
    await field('Note').fill('I know the coast');
    await button('Reassign').click();
    await log.getByText('ada reassigned it from kim to ada').waitFor();
    await field('Message the thread').fill('Nearly there');
    await page.keyboard.press('Enter');
    await log.getByText('Nearly there').waitFor();
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Change watchers' }).click();
    await dialog('Watchers').getByRole('checkbox', { name: 'kim' }).check();
    await button('Save watchers').click();
    await log.getByText('ada added kim to the watchers').waitFor();
    await button('Complete').click();
    await field('Result').fill('Merged as 4f2c');
    await dialog('Complete objective').getByRole('button', { name: 'Complete' }).click();
    await log.getByText('Merged as 4f2c').waitFor();
    await create('Draw the reef', 'ben', 'ada');
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Cancel objective' }).click();
    await field('Reason (optional)').fill('No reef there');
    await dialog('Cancel objective').getByRole('button', { name: 'Cancel objective' }).click();
    await log.getByText('No reef there').waitFor();
    await page.getByRole('link', { name: 'All objectives' }).click();
    await button('Board').click();
    await page.getByRole('region', { name: 'done' }).getByText('Draw the coast').waitFor();
    await page.getByRole('region', { name: 'canceled' }).getByText('Draw the reef').waitFor();
    await visit('Inbox');
    await page.getByRole('region', { name: 'Since you were here' }).getByText('Draw the coast').waitFor();
  });

  it('uploads a file, previews it, moves it, attaches it, and deletes it', async () => {
    await visit('Files');
    const chooser = page.waitForEvent('filechooser');
    await button('Upload').click();
    await (await chooser).setFiles([
      { name: 'tides.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides\n\n- high at **six**') },
      { name: 'pins.json', mimeType: 'application/json', buffer: Buffer.from('{"pins":[1,2]}') },
    ]);
    const list = page.getByRole('list', { name: 'Files' });
    await list.getByRole('link', { name: /pins\.json/ }).waitFor();
    await list.getByRole('link', { name: /tides\.md/ }).click();
    await page.getByText('high at six').waitFor();
    await page.getByText('Only the owner and managers.').waitFor();
    await button('Move or rename').click();
    await field('New path').fill('/ada/tides-2.md');
    await button('Move').click();
    await dialog('tides-2.md').waitFor();
    await page.keyboard.press('Escape');
    await visit('Messages');
    const attaching = page.waitForEvent('filechooser');
    await button('Attach files').click();
    await (await attaching).setFiles({
      name: 'chart.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('chart'),
    });
    await field(/^Message #?general/).fill('The chart');
    await expect.poll(() => button('Send').isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('log', { name: 'Messages' }).getByRole('link', { name: 'chart.txt' }).click();
    await dialog('chart.txt').getByText('attached to a message', { exact: false }).first().waitFor();
    await page.keyboard.press('Escape');
    await visit('Files');
    await list.getByRole('link', { name: /pins\.json/ }).click();
    await button('Delete pins.json').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete pins.json' }).click();
    await list.getByRole('link', { name: /pins\.json/ }).waitFor({ state: 'detached' });
  });

  it('shows an agent at work, live, and opens an exchange', async () => {
    await visit('Agents');
    await page.getByRole('tab', { name: 'All activity' }).click();
    await choose(page, 'Member', 'kim');
    await page.getByRole('link', { name: /objective closed/ }).waitFor();
    const send = (text: string) =>
      as('kim').call('uploadActivity', {
        params: { name: 'kim' },
        body: {
          events: [
            exchange(Date.now(), {
              model: text,
              request: {
                system: 'You draw maps.',
                messages: [{ role: 'user', content: [{ type: 'text', text: 'Draw' }] }],
                tools: [{ name: 'pen' }],
                maxTokens: null,
                temperature: null,
              },
            }),
          ] as never,
        },
      });
    await send('first-model');
    await page.getByRole('link', { name: /first-model/ }).waitFor();
    await send('second-model');
    await page.getByRole('link', { name: /second-model/ }).click();
    const exchangeView = dialog('model request of kim');
    await exchangeView.getByText('System prompt').click();
    await exchangeView.getByText('You draw maps.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('changes the team, shows the health page, switches to the dark theme, and logs out', async () => {
    await visitAdmin('Team');
    await field('Directive').fill('Ship two maps');
    const saved = await watchFor(page, 'The team was saved');
    await button('Save team').click();
    await saved();
    await visitAdmin('Health');
    await page.getByText('Uptime').waitFor();
    const hold = { on: 'general', reason: 'Case 7' };
    await as('ada').call('updateRetention', { body: { messages: { days: 365 }, hold } });
    await visitAdmin('Backup and retention');
    await page.getByText('365 days').waitFor();
    await page.getByText('Case 7').waitFor();
    await visitAdmin('Network');
    await page.getByText(url).first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('y');
    await page.getByRole('heading', { name: 'Me', level: 1 }).waitFor();
    await field('Dark').check();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.reload();
    await page.getByRole('tab', { name: 'Account' }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    // The event about a renamed or deleted resource fetches it once more.
    expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
    await button('Log out').click();
    await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  });
});
