import type { Handlers } from '../../http/route.ts';
import type { Membership } from './membership.service.ts';

export const memberRoutes = (membership: Membership): Handlers => ({
  members: ({ actor, query }) => membership.list(actor, query),
  createMember: ({ actor, body }) => membership.create(body, actor.name),
  updateMember: ({ params, body }) => membership.update(params.name, body),
  deleteMember: async ({ actor, params }) => {
    await membership.remove(params.name, actor.name);
    return undefined;
  },
});
