/**
 * Browser notifications: the subscription of this browser, and the broker's record of it
 * (specification/web-push.md#subscriptions).
 */
import { z } from 'zod';
import type { BrokerClient } from '#protocol/client.ts';

export type PushState = 'unsupported' | 'off' | 'denied' | 'on';

const key = 'muster.push';
const Kept = z.object({ member: z.string(), id: z.string() });

/** Returns the member whose notifications this browser gets, as it recorded it. */
function kept(): z.infer<typeof Kept> | null {
  try {
    return Kept.parse(JSON.parse(localStorage.getItem(key) ?? ''));
  } catch {
    return null;
  }
}

export async function pushState(self: string): Promise<PushState> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const registration = await navigator.serviceWorker.getRegistration('/');
  const subscription = await registration?.pushManager.getSubscription();
  return subscription == null || kept()?.member !== self ? 'off' : 'on';
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
  await navigator.serviceWorker.register('/sw.js', { scope: '/' });
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { id } = await client.call('subscribePush', {
    body: {
      endpoint: subscription.endpoint,
      keys: {
        p256dh: base64url(subscription.getKey('p256dh')),
        auth: base64url(subscription.getKey('auth')),
      },
    },
  });
  localStorage.setItem(key, JSON.stringify({ member: self, id }));
}

export async function turnPushOff(client: BrokerClient): Promise<void> {
  const id = kept()?.id;
  await endSubscription();
  if (id !== undefined) await client.call('unsubscribePush', { params: { id } }).catch(() => undefined);
}

/** The push service then tells the broker that the subscription is gone. */
async function endSubscription(): Promise<void> {
  localStorage.removeItem(key);
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration('/');
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/**
 * Ends a subscription of an earlier member of this browser, so that the current one does not get their
 * notifications.
 */
export async function endPushOfOthers(self: string): Promise<void> {
  if (localStorage.getItem(key) !== null && kept()?.member !== self) await endSubscription();
}
