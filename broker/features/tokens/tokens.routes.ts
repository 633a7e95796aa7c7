import type { Handlers } from '../../http/route.ts';
import type { MemberTokens } from './member-tokens.service.ts';

export const tokenRoutes = (tokens: MemberTokens): Handlers => ({
  tokens: ({ params }) => tokens.list(params.name),
  rotateToken: ({ actor, params }) => tokens.rotate(params.name, actor.name),
  revokeToken: async ({ params }) => {
    await tokens.revoke(params.name, params.id);
    return undefined;
  },
});
