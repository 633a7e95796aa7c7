import { longArray } from '../../http/json-list.ts';
import { JsonReply } from '../../http/json-reply.ts';
import type { Handlers } from '../../http/route.ts';
import type { Objectives } from './objectives.service.ts';

/** A header may occur more than once; the last one is what a proxy or a client added last. */
const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.at(-1) : header;

export const objectiveRoutes = (objectives: Objectives): Handlers => ({
  objectives: ({ query }) => new JsonReply(longArray('{"objectives":', objectives.pages(query))),
  createObjective: async ({ actor, body, headers }) =>
    new JsonReply(await objectives.create(actor, body, one(headers['idempotency-key']))),
  objective: async ({ params }) => {
    const { objective, events } = await objectives.view(params.id);
    return new JsonReply(longArray(`{"objective":${JSON.stringify(objective)},"events":`, events));
  },
  updateObjective: ({ actor, params, body }) => objectives.update(actor, params.id, body),
  completeObjective: ({ actor, params, body }) => objectives.complete(actor, params.id, body),
  cancelObjective: ({ actor, params, body }) => objectives.cancel(actor, params.id, body),
  reassignObjective: ({ actor, params, body }) => objectives.reassign(actor, params.id, body),
  discussObjective: async ({ actor, params, body, headers }) =>
    new JsonReply(await objectives.discuss(actor, params.id, body, one(headers['idempotency-key']))),
  updateWatchers: ({ actor, params, body }) => objectives.changeWatchers(actor, params.id, body),
});
