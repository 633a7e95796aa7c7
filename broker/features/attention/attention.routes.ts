import type { Handlers } from '../../http/route.ts';
import type { AttentionService } from './attention.service.ts';

export const attentionRoutes = (attention: AttentionService): Handlers => ({
  attention: ({ actor }) => attention.of(actor.name, actor.permissions.includes('members.manage')),
  markAttention: async ({ actor, body }) => {
    await attention.mark(actor.name, body);
    return undefined;
  },
  unmarkAttention: async ({ actor, query }) => {
    await attention.unmark(actor.name, query.item);
    return undefined;
  },
});
