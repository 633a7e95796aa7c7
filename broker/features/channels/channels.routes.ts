import type { Handlers } from '../../http/route.ts';
import type { Channels } from './channels.service.ts';

export const channelRoutes = (channels: Channels): Handlers => ({
  channels: ({ actor, query }) => channels.list(actor, query),
  createChannel: ({ actor, body }) => channels.create(actor, body),
  channel: ({ actor, params }) => channels.view(actor, params.slug),
  renameChannel: ({ actor, params, body }) => channels.change(actor, params.slug, body),
  archiveChannel: async ({ actor, params }) => {
    await channels.archive(actor, params.slug);
    return undefined;
  },
  joinChannel: async ({ actor, params, body }) => {
    await channels.join(actor, params.slug, body);
    return undefined;
  },
  leaveChannel: async ({ actor, params }) => {
    await channels.leave(actor, params.slug, params.name);
    return undefined;
  },
});
