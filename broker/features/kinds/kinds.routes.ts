import type { Handlers } from '../../http/route.ts';
import type { Kinds } from './kinds.service.ts';

export const kindRoutes = (kinds: Kinds): Handlers => ({
  memberKinds: ({ query }) => kinds.list(query),
  setMemberKind: ({ params, body }) => kinds.set(params.name, body.kind),
});
