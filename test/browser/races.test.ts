/**
 * A change while the page loads, is left, or loses its connection appears on the screen once, without a
 * reload.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { http } from '../../broker/features/activity/testing/activity-team.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const members = { ada: ['admin'], ben: ['operator'], kim: [] };
let shared: ConsoleTeam;
let later: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
showPagesOfFailures(() => later?.browser);
beforeAll(async () => {
  shared = await startConsole({ members });
});
afterAll(async () => {
  await shared?.stop();
  await later?.stop();
});

const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const unread = (page: Page, count: number) =>
  page
    .getByRole('navigation', { name: 'Main' })
    .getByText(`Unread direct messages and mentions: ${count}`, { exact: true });
const say = (team: ConsoleTeam, name: string, body: string, to: string | null = null) =>
  team.team.as(name).call('push', { body: { to, body } });

/**
 * Holds back requests to this URL. Returns the function that releases them; from then on, none is held back.
 */
async function hold(at: Page | BrowserContext, url: string | RegExp, isAnswered = false) {
  let letGo = () => {};
  let isLetGo = false;
  const held = new Promise<void>((resolve) => {
    letGo = () => {
      isLetGo = true;
      resolve();
    };
  });
  let arrived = () => {};
  const isThere = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await at.route(url, async (route) => {
    if (isLetGo) return route.continue();
    if (!isAnswered) {
      arrived();
      await held;
      return route.continue();
    }
    // The broker has answered, and only the page receives the answer later.
    const response = await route.fetch();
    arrived();
    await held;
    return route.fulfill({ response });
  });
  return { letGo, isThere };
}

describe('while the page loads', () => {
  it('shows a message that arrives between the first answers and the stream', async () => {
    const { page, context } = await shared.open('kim', { path: '/app/trust' });
    await say(shared, 'ben', 'there before');
    const { letGo, isThere } = await hold(page, '**/subscribe**');
    await page.goto('/app/conversations/general');
    await isThere;
    await log(page).getByText('there before').waitFor();
    await say(shared, 'ben', 'in between');
    letGo();
    await log(page).getByText('in between').waitFor();
    await context.close();
  });

  it('shows a change that happens after the broker answered and before the page has the answer', async () => {
    const { page, context } = await shared.open('kim', { path: '/app/trust' });
    const { letGo, isThere } = await hold(page, /:\d+\/objectives\?/, true);
    await page.goto('/app/objectives');
    await isThere;
    await page.getByRole('link', { name: /^Messages/ }).waitFor();
    const body = { title: 'Paint the buoy', outcome: 'Red', assignee: 'ben', body: '', watchers: [] };
    await shared.team.as('ada').call('createObjective', { body });
    await say(shared, 'ben', 'told after it', 'kim');
    await unread(page, 1).waitFor();
    letGo();
    await page.getByText('Paint the buoy').waitFor();
    await context.close();
  });

  it('counts a message once that an answer counts before the stream brings it', async () => {
    const { page, context } = await shared.open('kim', { path: '/app/trust' });
    // The page receives late what the stream brings.
    await page.addInitScript(`{
      const late = [];
      let isHeld = false;
      Object.assign(globalThis, {
        holdMessages: () => { isHeld = true; },
        letMessagesGo: () => { isHeld = false; for (const tell of late.splice(0)) tell(); },
      });
      const decode = TextDecoderStream.prototype;
      const { get } = Object.getOwnPropertyDescriptor(decode, 'readable');
      Object.defineProperty(decode, 'readable', {
        get() {
          return get.call(this).pipeThrough(new TransformStream({
            transform(text, out) {
              // A chunk has whole events here, and under load more than one.
              for (const one of text.split(/(?<=\\n\\n)/))
                if (isHeld && one.includes('event: message')) late.push(() => out.enqueue(one));
                else out.enqueue(one);
            },
          }));
        },
      });
    }`);
    await page.goto('/app/conversations/general');
    await unread(page, 1).waitFor();
    await page.evaluate('holdMessages()');
    await say(shared, 'ben', 'counted already', 'kim');
    // This makes the page fetch the counts again.
    const ada = shared.team.as('ada');
    await ada.call('createChannel', { body: { slug: 'overtaken' } });
    await ada.call('joinChannel', { params: { slug: 'overtaken' }, body: { member: 'kim' } });
    await unread(page, 2).waitFor();
    await page.evaluate('letMessagesGo()');
    await say(shared, 'ben', 'the end of it');
    await log(page).getByText('the end of it').waitFor();
    await unread(page, 2).waitFor();
    await context.close();
  });

  it('retries a stream that is refused for a while, and shows what was missed', async () => {
    const { page, context } = await shared.open('kim', { path: '/app/trust' });
    let isAway = true;
    await page.route('**/subscribe**', (route) =>
      isAway ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
    );
    await page.goto('/app/conversations/general');
    await log(page).getByText('there before').waitFor();
    await page.getByText('The broker cannot be reached.', { exact: false }).waitFor();
    await say(shared, 'ben', 'while it was refused');
    isAway = false;
    await log(page).getByText('while it was refused').waitFor();
    await page.getByText('The broker cannot be reached.', { exact: false }).waitFor({ state: 'detached' });
    await context.close();
  });
});

describe('after a lost connection', () => {
  beforeAll(async () => {
    later = await startConsole({ members, onDisk: true });
  });

  /** The broker goes away and returns, and the stream is held back. */
  async function loseLine(page: Page) {
    const { letGo } = await hold(page, '**/subscribe**');
    await later.team.restart();
    await page.getByText('The broker cannot be reached.', { exact: false }).waitFor();
    return letGo;
  }

  it('shows a message although none had arrived before', async () => {
    const { page, context } = await later.open('ada', { path: '/app/conversations/general' });
    await page.getByText('No messages yet').waitFor();
    await page.getByRole('link', { name: /^kim/ }).waitFor();
    const letGo = await loseLine(page);
    await say(later, 'ben', 'while you were away');
    letGo();
    await log(page).getByText('while you were away').waitFor();
    await context.close();
  });

  it('counts what was missed once', async () => {
    const { page, context } = await later.open('kim', { path: '/app/objectives' });
    await page.getByText('No open objectives').waitFor();
    await say(later, 'ben', 'one', 'kim');
    await unread(page, 1).waitFor();
    const letGo = await loseLine(page);
    for (const body of ['two', 'three', 'four']) await say(later, 'ben', body, 'kim');
    letGo();
    await page.getByText('The broker cannot be reached.', { exact: false }).waitFor({ state: 'detached' });
    await unread(page, 4).waitFor();
    await say(later, 'ben', 'five', 'kim');
    await unread(page, 5).waitFor();
    await context.close();
  });

  it('fetches a thread again completely, although the member scrolls up in the meantime', async () => {
    for (let n = 0; n < 5; n++)
      await Promise.all(Array.from({ length: 50 }, (_, i) => say(later, 'ben', `sounding ${n}-${i}`, 'ada')));
    await say(later, 'ben', 'the last sounding', 'ada');
    const { page, context } = await later.open('ada', { path: '/app/conversations/dm:ben' });
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await log(page).getByText('the last sounding').waitFor();
    const letGo = await loseLine(page);
    await say(later, 'ben', 'missed', 'ada');
    const first = await hold(page, /\/history\?(?!.*before)/, true);
    letGo();
    await first.isThere;
    const scroll = (to: number) => log(page).evaluate((it, top) => it.scrollTo(0, top), to);
    await scroll(0);
    // No event says that a request was not made, so the test waits for as long as it would take.
    await page.waitForRequest(/[?&]before=/, { timeout: 1500 }).catch(() => undefined);
    first.letGo();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await log(page).getByText('missed').waitFor();
    await context.close();
  });
});

describe('a thread that the member had left', () => {
  it('is complete when the member is in it again', async () => {
    const [ada, ben] = [shared.team.as('ada'), shared.team.as('ben')];
    const { id, slug } = await ada.call('createChannel', { body: { slug: 'soundings' } });
    for (const member of ['ben', 'kim'])
      await ada.call('joinChannel', { params: { slug }, body: { member } });
    const post = (body: string) =>
      ben.call('push', { body: { to: null, body, data: { thread: `chan:${id}` } } });
    await post('before');
    const { page, context } = await shared.open('kim', { path: `/app/conversations/chan:${id}` });
    await log(page).getByText('before').waitFor();
    await ada.call('leaveChannel', { params: { slug, name: 'kim' } });
    await post('while kim was out');
    await ada.call('joinChannel', { params: { slug }, body: { member: 'kim' } });
    await post('and after');
    await log(page).getByText('and after').waitFor();
    await log(page).getByText('while kim was out').waitFor();
    await context.close();
  });

  it('keeps the text of a message that is being edited, and says that it cannot be saved', async () => {
    const ada = shared.team.as('ada');
    const { id, slug } = await ada.call('createChannel', { body: { slug: 'quay' } });
    await ada.call('joinChannel', { params: { slug }, body: { member: 'kim' } });
    await shared.team
      .as('kim')
      .call('push', { body: { to: null, body: 'The quay is wet', data: { thread: `chan:${id}` } } });
    const { page, context } = await shared.open('kim', { path: `/app/conversations/chan:${id}` });
    await log(page).getByText('The quay is wet').hover();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const text = page.getByRole('dialog', { name: 'Edit the message' }).getByLabel('Text');
    await text.fill('The quay is dry again');
    await ada.call('leaveChannel', { params: { slug, name: 'kim' } });
    await page.getByText('You may not do this anymore. Copy what you typed').waitFor();
    expect(await text.inputValue()).toBe('The quay is dry again');
    await page.getByText('You cannot read this').waitFor({ state: 'attached' });
    await context.close();
  });

  it('keeps that text on the page of an objective, too, behind its timeline', async () => {
    const ada = shared.team.as('ada');
    const { id } = await ada.call('createObjective', {
      body: { title: 'Mend the pier', outcome: 'It is dry', assignee: 'ben', body: '', watchers: ['kim'] },
    });
    const post = { body: 'The pier is wet' };
    await shared.team.as('kim').call('discussObjective', { params: { id }, body: post });
    const { page, context } = await shared.open('kim', { path: `/app/objectives/${id}` });
    await log(page).getByText('The pier is wet').hover();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const text = page.getByRole('dialog', { name: 'Edit the message' }).getByLabel('Text');
    await text.fill('The pier is dry again');
    await ada.call('updateWatchers', { params: { id }, body: { remove: ['kim'] } });
    await page.getByText('You may not do this anymore. Copy what you typed').waitFor();
    expect(await text.inputValue()).toBe('The pier is dry again');
    await page.getByText('Only members of the thread read its posts').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('Only members of the thread read its posts').waitFor();
    expect(await page.getByRole('log').count()).toBe(0);
    await context.close();
  });

  it('shows that it cannot be read only while that is the case', async () => {
    const ada = shared.team.as('ada');
    const { id, slug } = await ada.call('createChannel', { body: { slug: 'harbour' } });
    await ada.call('push', { body: { to: null, body: 'for members', data: { thread: `chan:${id}` } } });
    const { page, context } = await shared.open('kim', { path: `/app/conversations/chan:${id}` });
    await page.getByText('You cannot read this').waitFor();
    await ada.call('joinChannel', { params: { slug }, body: { member: 'kim' } });
    await log(page).getByText('for members').waitFor();
    await context.close();
  });
});

describe('activity', () => {
  const upload = (...events: ReturnType<typeof http>[]) =>
    shared.team
      .as('ben')
      .call('uploadActivity', { params: { name: 'ben' }, body: { events: events as never } });
  const list = (page: Page) => page.getByRole('list', { name: 'Activity of ben' });
  const request = (ts: number, host: string) => {
    const event = http(ts);
    return { ...event, entry: { ...event.entry, host } };
  };

  const openActivity = async (page: Page) => {
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('tab', { name: 'All activity' }).click();
  };

  it('that arrived while another screen was open is shown on the way back', async () => {
    await upload(request(Date.now(), 'first.example'));
    const { page, context } = await shared.open('ben', { path: '/app/activity' });
    await list(page).getByText('first.example').waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await upload(request(Date.now(), 'second.example'));
    await openActivity(page);
    await list(page).getByText('first.example').waitFor();
    await list(page).getByText('second.example').waitFor();
    await context.close();
  });

  it('that arrives between the first answer and the stream is shown', async () => {
    const { page, context } = await shared.open('ben', { path: '/app' });
    const { letGo, isThere } = await hold(page, '**/activity/stream?*');
    await openActivity(page);
    await isThere;
    await list(page).getByText('first.example').waitFor();
    await upload(request(Date.now(), 'between.example'));
    letGo();
    await list(page).getByText('between.example').waitFor();
    await context.close();
  });

  it('that arrives while older activity loads stays', async () => {
    const before = Date.now() - 1_000_000;
    await upload(...Array.from({ length: 120 }, (_, n) => request(before + n, `old-${n}.example`)));
    const { page, context } = await shared.open('ben', { path: '/app/activity' });
    await list(page).getByText('first.example').waitFor();
    const { letGo, isThere } = await hold(page, /\/activity\/summaries\?.*[?&]to=/, true);
    const scroller = list(page).locator('..');
    await scroller.evaluate((it) => it.scrollTo(0, it.scrollHeight));
    await isThere;
    await upload(request(Date.now(), 'while-loading.example'));
    await scroller.evaluate((it) => it.scrollTo(0, 0));
    await list(page).getByText('while-loading.example').waitFor();
    const loaded = page.waitForResponse(/[?&]to=/);
    letGo();
    await loaded;
    await page.getByText('Loading older activity…').waitFor({ state: 'detached' });
    await scroller.evaluate((it) => it.scrollTo(0, 0));
    await list(page).getByText('while-loading.example').waitFor();
    await context.close();
  });
});
