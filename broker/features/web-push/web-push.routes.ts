import type { Handlers } from '../../http/route.ts';
import type { WebPush } from './web-push.service.ts';

export const webPushRoutes = (webPush: WebPush): Handlers => ({
  vapidPublicKey: () => webPush.publicKey(),
  subscribePush: ({ actor, body }) => webPush.subscribe(actor.name, body),
  unsubscribePush: async ({ actor, params }) => {
    await webPush.unsubscribe(actor.name, params.id);
    return undefined;
  },
});
