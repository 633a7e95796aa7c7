import type { Handlers } from '../../http/route.ts';
import type { Holds } from './holds.service.ts';

export const heldRoutes = (holds: Holds): Handlers => ({
  heldPosts: ({ actor }) => holds.list(actor),
  releaseHeld: async ({ actor, params }) => ({ message: await holds.release(actor, params.id) }),
  dropHeld: async ({ actor, params }) => {
    await holds.drop(actor, params.id);
    return undefined;
  },
});
