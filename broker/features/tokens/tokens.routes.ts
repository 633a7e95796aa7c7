import type { Handlers } from '../../http/route.ts';
import type { MemberTokens } from './member-tokens.service.ts';

export const tokenRoutes = (tokens: MemberTokens): Handlers => ({
  devices: ({ actor, query }) => tokens.devices(actor, query),
  tokens: ({ params }) => tokens.list(params.name),
  rotateToken: ({ actor, params }) => tokens.rotate(params.name, actor),
  revokeToken: async ({ actor, params }) => {
    await tokens.revoke(params.name, params.id, actor);
    return undefined;
  },
});
