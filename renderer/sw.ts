/**
 * The service worker: shows pushes and opens their pages. It caches nothing, because the console never shows
 * outdated data as current.
 */
interface PushData {
  title: string;
  body: string;
  thread: string;
  url: string;
  id: string;
}
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerScope {
  addEventListener(type: 'install', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(
    type: 'push',
    listener: (event: ExtendableEvent & { data: { json(): unknown } | null }) => void,
  ): void;
  addEventListener(
    type: 'pushsubscriptionchange',
    listener: (event: ExtendableEvent & { newSubscription?: PushSubscription | null }) => void,
  ): void;
  addEventListener(
    type: 'notificationclick',
    listener: (event: ExtendableEvent & { notification: Notification }) => void,
  ): void;
  skipWaiting(): Promise<void>;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly location: Location;
}
interface WindowClient {
  readonly url: string;
  focus(): Promise<WindowClient>;
  navigate(url: string): Promise<unknown>;
}

const scope = self as unknown as WorkerScope;

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener('push', (event) => {
  const data = event.data?.json() as PushData | undefined;
  if (data === undefined) return;
  const { title, body, thread, url, id } = data;
  event.waitUntil(
    scope.registration.showNotification(title, {
      body,
      tag: id,
      data: { url, thread },
      icon: '/assets/icon-192.png',
    }),
  );
});

/** The console tells the broker of the new subscription at the next visit, because this worker has no session. */
async function subscribeAgain(): Promise<void> {
  const { publicKey } = (await (await fetch('/push/vapid-public-key')).json()) as { publicKey: string };
  await scope.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
}

scope.addEventListener('pushsubscriptionchange', (event) => {
  if (event.newSubscription == null) event.waitUntil(subscribeAgain());
});

scope.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = event.notification.data as { url: string };
  // A push comes from outside, so it can open only pages of this origin.
  const target = new URL(url, scope.location.origin);
  if (target.origin !== scope.location.origin) return;
  event.waitUntil(
    scope.clients.matchAll({ type: 'window', includeUncontrolled: true }).then(async ([open]) => {
      if (open === undefined) return scope.clients.openWindow(target.href);
      // Some browsers refuse to focus the window. A page that was loaded without this worker cannot be
      // navigated by it.
      await open.focus().catch(() => undefined);
      return open.navigate(target.href).catch(() => scope.clients.openWindow(target.href));
    }),
  );
});
