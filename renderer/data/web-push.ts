/**
 * Browser notifications: the subscription of this browser, and the broker's record of it
 * (specification/web-push.md#subscriptions).
 */
import type { BrokerClient } from '#protocol/client.ts';

export type PushState = 'unsupported' | 'off' | 'denied' | 'on';

const key = 'muster.push';

interface Kept {
  member: string;
  /** The broker's id of the subscription. */
  id: string;
  /** The id of the session that subscribed; older records have none. */
  session?: string;
  /** The address at the push service; older records have none. */
  endpoint?: string;
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  'member' in value &&
  typeof value.member === 'string' &&
  'id' in value &&
  typeof value.id === 'string' &&
  (!('session' in value) || typeof value.session === 'string') &&
  (!('endpoint' in value) || typeof value.endpoint === 'string');

/** Returns the member whose notifications this browser gets, as it recorded it. */
function kept(): Kept | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isKept(value) ? value : null;
  } catch {
    return null;
  }
}

const isSupported = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window;

async function browserSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** Returns the id of the broker's record of this browser; null if it has none. */
export const ownPushId = (): string | null => kept()?.id ?? null;

/** Returns the key for which browsers subscribe at this broker; null if it has none. */
const brokerKey = (client: BrokerClient): Promise<string | null> =>
  client.call('vapidPublicKey', {}).then(
    ({ publicKey }) => publicKey,
    () => null,
  );

/** Push services refuse every message if the browser subscribed for an earlier key of the broker. */
function isForKey({ options }: PushSubscription, publicKey: string | null): boolean {
  if (publicKey === null) return true;
  const own = options.applicationServerKey;
  return own === null || base64url(own) === publicKey;
}

/** `registered`: the ids of the member's subscriptions at the broker. */
export async function pushState(
  client: BrokerClient,
  self: string,
  registered: readonly string[],
): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const record = kept();
  if (record?.member !== self || !registered.includes(record.id)) return 'off';
  const subscription = await browserSubscription();
  return subscription !== null && isForKey(subscription, await brokerKey(client)) ? 'on' : 'off';
}

const base64url = (key: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** @throws Error with a message for the person. */
export async function turnPushOn(client: BrokerClient, self: string): Promise<void> {
  const { publicKey } = await client.call('vapidPublicKey', {});
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser blocks notifications from this page. Allow them in its settings.');
  await register(client, self, await subscriptionFor(publicKey), await currentSession(client));
}

/** Returns the subscription of this browser for the key, which takes the place of one for an earlier key. */
async function subscriptionFor(publicKey: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register('/sw.js', { scope: '/' });
  const { pushManager } = await navigator.serviceWorker.ready;
  const present = await pushManager.getSubscription();
  if (present !== null && isForKey(present, publicKey)) return present;
  // A browser refuses to subscribe for another key while it has a subscription.
  await present?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

async function currentSession(client: BrokerClient): Promise<string | undefined> {
  const { sessions } = await client.call('sessions', { query: {} });
  return sessions.find(({ current }) => current)?.id;
}

async function register(
  client: BrokerClient,
  self: string,
  subscription: PushSubscription,
  session: string | undefined,
): Promise<void> {
  const { id } = await client.call('subscribePush', {
    body: {
      endpoint: subscription.endpoint,
      keys: {
        p256dh: base64url(subscription.getKey('p256dh')),
        auth: base64url(subscription.getKey('auth')),
      },
    },
  });
  localStorage.setItem(key, JSON.stringify({ member: self, id, session, endpoint: subscription.endpoint }));
}

/**
 * The broker's record of a browser ends with the session that made it, and with the key of the broker. A browser whose
 * member logged in again, whose subscription changed or ended, or that subscribed for an earlier key is registered again;
 * one whose record alone was removed stays off.
 */
async function registerAgain(client: BrokerClient, self: string): Promise<void> {
  const record = kept();
  if (record?.member !== self || !isSupported() || Notification.permission !== 'granted') return;
  const [session, publicKey] = await Promise.all([currentSession(client), brokerKey(client)]);
  if (session === undefined) return;
  const present = await browserSubscription();
  const isValid = present !== null && isForKey(present, publicKey);
  const isSame = (record.endpoint ?? present?.endpoint) === present?.endpoint;
  if (isValid && isSame && session === record.session) return;
  if (isValid) await register(client, self, present, session);
  else if (publicKey !== null) await register(client, self, await subscriptionFor(publicKey), session);
}

export async function turnPushOff(client: BrokerClient): Promise<void> {
  const id = kept()?.id;
  await endSubscription();
  if (id !== undefined) await client.call('unsubscribePush', { params: { id } }).catch(() => undefined);
}

/** The push service then tells the broker that the subscription is gone. */
async function endSubscription(): Promise<void> {
  localStorage.removeItem(key);
  if ('serviceWorker' in navigator) await (await browserSubscription())?.unsubscribe();
}

let settling: Promise<void> = Promise.resolve();

async function settle(client: BrokerClient, self: string): Promise<void> {
  if (localStorage.getItem(key) !== null && kept()?.member !== self) await endSubscription();
  else await registerAgain(client, self);
}

/**
 * Brings the subscription of this browser in line with the member who is logged in: one of an earlier member
 * ends, so that the current one does not get their notifications, and the member's own one continues. Runs once at a time,
 * because the browser has one subscription.
 */
export function settlePush(client: BrokerClient, self: string): Promise<void> {
  settling = settling.catch(() => undefined).then(() => settle(client, self));
  return settling;
}
