import { jsonList } from '../../http/json-list.ts';
import { JsonReply } from '../../http/json-reply.ts';
import type { Handlers } from '../../http/route.ts';
import { openSse } from '../../http/sse.ts';
import type { Messages } from './messages.service.ts';

/** A header may occur more than once; the last one is what a proxy or a client added last. */
const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.at(-1) : header;

export const messageRoutes = (messages: Messages): Handlers => ({
  push: async ({ actor, body, headers }) =>
    new JsonReply(await messages.push(actor, body, one(headers['idempotency-key']))),
  editMessage: ({ actor, params, body }) => messages.change(actor, params.id, body.body),
  deleteMessage: ({ actor, params }) => messages.change(actor, params.id, null),
  history: async ({ actor, query }) => jsonList('{"messages":', await messages.history(actor.name, query)),
  historyWindow: ({ actor, query }) => messages.historyWindow(actor.name, query),
  subscribe: ({ actor, query, headers, reply }) => {
    const cursor = one(headers['last-event-id']) ?? query.lastEventId;
    messages.subscribe(actor, { cursor, takesNews: query.events === 'all' }, openSse(reply));
    return undefined;
  },
});
