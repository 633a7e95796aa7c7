import type { Handlers } from '../../http/route.ts';
import type { InboxService } from './inbox.service.ts';

export const inboxRoutes = (inbox: InboxService): Handlers => ({
  inbox: ({ actor, query: { muted } }) => inbox.of(actor, new Set(muted?.split(','))),
});
