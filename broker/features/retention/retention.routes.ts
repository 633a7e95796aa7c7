import type { Handlers } from '../../http/route.ts';
import type { Retention } from './retention.service.ts';

export const retentionRoutes = (retention: Retention): Handlers => ({
  retention: () => retention.read(),
  updateRetention: ({ actor, body }) => retention.update(body, actor.name),
  runRetention: () => retention.begin(),
});
