/** Browser notifications: this browser's subscription, and the broker's record of it (D12). */
import type { BrokerClient } from '#protocol/client.ts';

export type PushState = 'unsupported' | 'off' | 'denied' | 'on';

const idKey = 'muster.push';

export async function pushState(): Promise<PushState> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const registration = await navigator.serviceWorker.getRegistration('/');
  const subscription = await registration?.pushManager.getSubscription();
  return subscription == null || localStorage.getItem(idKey) === null ? 'off' : 'on';
}

const base64url = (key: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** @throws Error with a sentence. */
export async function turnPushOn(client: BrokerClient): Promise<void> {
  const { publicKey } = await client.call('vapidPublicKey', {});
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('the browser does not allow notifications for this page; change that in its settings');
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
  localStorage.setItem(idKey, id);
}

export async function turnPushOff(client: BrokerClient): Promise<void> {
  const id = localStorage.getItem(idKey);
  localStorage.removeItem(idKey);
  const registration = await navigator.serviceWorker.getRegistration('/');
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  if (id !== null) await client.call('unsubscribePush', { params: { id } }).catch(() => undefined);
}
