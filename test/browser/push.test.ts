/**
 * Web push from the broker to the screen: the browser receives what the broker sends to the push service
 * (specification/web-push.md#sending).
 */
import type { BrowserContext, Locator, Page, Worker } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type PushReceiver,
  startPushReceiver,
} from '../../broker/features/web-push/testing/push-receiver.ts';
import { mintVapidKeys } from '../../broker/security/vapid.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
let service: PushReceiver;
let publicKey: string;
beforeAll(async () => {
  service = await startPushReceiver();
  const vapid = mintVapidKeys();
  ({ publicKey } = vapid);
  shared = await startConsole({
    members: { ada: ['admin'], ben: ['operator'] },
    config: {
      webPush: { vapidPublicKey: publicKey, vapidPrivateKey: vapid.privateKey },
      outbound: { allowHosts: ['127.0.0.1'] },
    },
  });
});
afterAll(async () => {
  await shared?.stop();
  await service?.close();
});

/** Returns a function that delivers as a push service does. */
async function pushedTo(context: BrowserContext, page: Page): Promise<(data: string) => Promise<unknown>> {
  const cdp = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    }),
  );
  await cdp.send('ServiceWorker.enable');
  await page.evaluate(`navigator.serviceWorker.register('/sw.js', { scope: '/' })
    .then(() => navigator.serviceWorker.ready)
    .then(() => navigator.serviceWorker.controller ?? new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done)))
    .then(() => true)`);
  const registrationId = await registered;
  return (data) =>
    cdp.send('ServiceWorker.deliverPushMessage', { origin: shared.team.url, registrationId, data });
}

const notifications = (page: Page) =>
  page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body, tag, data }) => ({ title, body, tag, data })))`) as Promise<
    unknown[]
  >;

/**
 * Returns a function that waits until so many more were shown. Until then, nobody may list the notifications:
 * Chromium drops one that it has recorded but not yet shown when it is asked.
 */
async function countShown(worker: Worker): Promise<(count: number) => Promise<void>> {
  await worker.evaluate(`{
    self.shown = 0;
    const { registration } = self;
    const show = registration.showNotification;
    registration.showNotification = async (...all) => {
      await show.apply(registration, all);
      self.shown += 1;
    };
  }`);
  return async (count) => {
    await expect.poll(() => worker.evaluate('self.shown')).toBe(count);
  };
}

describe('a push', () => {
  it('shows a notification whose click leads to the message, far up in the thread', async () => {
    const ben = shared.team.as('ben');
    await shared.team.as('ada').call('subscribePush', { body: service.subscription() });
    const { message } = await ben.call('push', {
      body: { to: null, title: 'Sheet 4', body: '@ada please **look** at the wreck' },
    });
    for (let n = 0; n < 5; n++)
      await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          ben.call('push', { body: { to: null, body: `later ${n}-${i}\n\nwith a second line` } }),
        ),
      );
    await service.until(1);
    const pushed = service.received[0]?.text ?? '';

    const { page, context, errors } = await shared.open('ada', {
      path: '/app/objectives',
      permissions: ['notifications'],
    });
    await page.getByRole('heading', { name: 'Objectives', level: 1 }).waitFor();
    const deliver = await pushedTo(context, page);
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    const shown = await countShown(worker);
    await deliver(pushed);
    await shown(1);
    await expect.poll(() => notifications(page)).toHaveLength(1);
    const url = `/app/conversations/general?message=${message.id}`;
    expect(await notifications(page)).toEqual([
      {
        title: 'ben: Sheet 4',
        body: '@ada please **look** at the wreck',
        tag: message.id,
        data: { url, thread: 'general' },
      },
    ]);
    // Delivered again, as a push service may do: still one notification.
    await deliver(pushed);
    await deliver(JSON.stringify({ ...JSON.parse(pushed), id: 'other', url: 'https://elsewhere.example/' }));
    await shown(3);
    await expect.poll(() => notifications(page)).toHaveLength(2);

    const click = (tag: string) =>
      worker.evaluate(
        `self.registration.getNotifications({ tag: ${JSON.stringify(tag)} }).then(([notification]) => {
          self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
        })`,
      );
    await click('other');
    await expect.poll(() => notifications(page)).toHaveLength(1);
    expect(new URL(page.url()).pathname).toBe('/app/objectives');
    await click(message.id);
    await page.waitForURL(`**${url}`);
    const row = page.getByRole('log', { name: 'Messages' }).getByText('at the wreck');
    await row.waitFor();
    await expect.poll(() => isInView(row)).toBe(true);
    await expect.poll(() => notifications(page)).toEqual([]);

    // From there on, it is a thread like any other: nothing scrolls it away, and the end is followed again.
    await ben.call('push', { body: { to: null, body: 'while she reads' } });
    expect(await isInView(row)).toBe(true);
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    await jump.click();
    await page.getByText('while she reads').waitFor();
    // The button disappears when the end is reached; from then on, the thread follows the end.
    await jump.waitFor({ state: 'detached' });
    await ben.call('push', { body: { to: null, body: 'and one more' } });
    const last = page.getByText('and one more');
    await last.waitFor();
    await expect.poll(() => isInView(last)).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });
});

/**
 * A browser that has subscribed for `applicationServerKey`: Chromium without a push service of its own cannot.
 * `record` is what the console kept when it subscribed. Like a browser, it has one subscription, and refuses
 * another key while it has it.
 */
const subscribedBrowser = (
  body: ReturnType<PushReceiver['subscription']>,
  record: object,
  applicationServerKey: string,
): string => `
  localStorage.setItem('muster.push', localStorage.getItem('muster.push') ?? ${JSON.stringify(JSON.stringify(record))});
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)).buffer;
  const body = ${JSON.stringify(body)};
  const subscribedFor = (key) => ({
    endpoint: body.endpoint, getKey: (name) => bytes(body.keys[name]), options: { applicationServerKey: bytes(key) },
    unsubscribe: async () => { subscription = null; return true; },
  });
  let subscription = subscribedFor(${JSON.stringify(applicationServerKey)});
  PushManager.prototype.getSubscription = async () => subscription;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    if (subscription !== null) throw new DOMException('another key', 'InvalidStateError');
    return (subscription = subscribedFor(applicationServerKey));
  };
  navigator.serviceWorker.register('/sw.js', { scope: '/' });`;

describe('the subscription of a browser', () => {
  it('is registered again if another session made it, is listed, and stays off once it is removed', async () => {
    const registered = async () => (await shared.team.as('ben').call('pushSubscriptions', {})).subscriptions;
    const { page, context, errors } = await shared.open('ben', { permissions: ['notifications'] });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await registered()).toEqual([]);
    const record = { member: 'ben', id: 'x', session: 'an earlier one' };
    await context.addInitScript(subscribedBrowser(service.subscription(), record, publicKey));
    await page.goto('/app/me?part=notifications');
    const own = page.getByRole('listitem').filter({ hasText: 'this browser' });
    await own.getByText('Chromium on Linux').waitFor();
    expect(await registered()).toMatchObject([
      { device: 'Chromium on Linux', credential: { plane: 'session' } },
    ]);
    await page.getByText('This browser gets notifications about').waitFor();

    await own.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('This browser gets no notifications.').waitFor();
    await page.reload();
    await page.getByText('This browser gets no notifications.').waitFor();
    expect(await registered()).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is made again at the next visit, in the same session, if it is for an earlier key of the broker', async () => {
    const registered = async () => (await shared.team.as('ben').call('pushSubscriptions', {})).subscriptions;
    const { page, context, errors } = await shared.open('ben', { permissions: ['notifications'] });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const record = { member: 'ben', id: 'x', session: 'an earlier one' };
    const browserWith = (key: string) =>
      context.addInitScript(subscribedBrowser(service.subscription(), record, key));
    await browserWith(publicKey);
    await page.goto('/app/me?part=notifications');
    await page.getByText('This browser gets notifications about').waitFor();
    const [first] = await registered();
    await browserWith(mintVapidKeys().publicKey);
    // As the broker does when its key changes.
    await shared.team.as('ben').call('unsubscribePush', { params: { id: first?.id ?? '' } });
    await page.goto('/app');
    await expect.poll(registered).toHaveLength(1);
    await page.goto('/app/me?part=notifications');
    await page.getByText('This browser gets notifications about').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is made again by the service worker when it changes, for the key of the broker', async () => {
    const { page, context, errors } = await shared.open('ben', { permissions: ['notifications'] });
    await pushedTo(context, page);
    const [worker] = context.serviceWorkers();
    const asked = await worker?.evaluate(`new Promise((done) => {
      PushManager.prototype.subscribe = async (options) => done(options);
      self.dispatchEvent(new ExtendableEvent('pushsubscriptionchange'));
    })`);
    expect(asked).toEqual({ userVisibleOnly: true, applicationServerKey: publicKey });
    expect(errors).toEqual([]);
    await context.close();
  });
});

/** Completely visible, and not above or below the visible part of the log. */
const isInView = (row: Locator): Promise<boolean> =>
  row.evaluate((it) => {
    const inner = it.getBoundingClientRect();
    const outer = it.closest('[role=log]').getBoundingClientRect();
    return inner.top >= outer.top && inner.bottom <= outer.bottom;
  });
