import type { Handlers } from '../../http/route.ts';
import type { WebPush } from './web-push.service.ts';

export const webPushRoutes = (webPush: WebPush): Handlers => ({
  vapidPublicKey: () => webPush.publicKey(),
  subscribePush: ({ actor, body, headers, confirm }) =>
    webPush.subscribe(actor, body, { userAgent: headers['user-agent'], confirm }),
  pushSubscriptions: ({ actor }) => webPush.list(actor),
  unsubscribePush: async ({ actor, params }) => {
    await webPush.unsubscribe(actor.name, params.id);
    return undefined;
  },
});
