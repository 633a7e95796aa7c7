import type { Handlers } from '../../http/route.ts';
import type { ReceiptsService } from './receipts.service.ts';

export const receiptRoutes = (receipts: ReceiptsService): Handlers => ({
  unread: ({ actor }) => receipts.unread(actor.name),
  unreadMarks: ({ actor, query }) => receipts.unreadMarks(actor.name, query.scope),
  waiting: ({ actor }) => receipts.waiting(actor.name),
  reportRead: async ({ actor, body }) => {
    await receipts.reportRead(actor.name, body);
    return undefined;
  },
  markUnread: async ({ actor, body }) => {
    await receipts.markUnread(actor.name, body);
    return undefined;
  },
  reportEvidence: async ({ actor, params, body }) => {
    await receipts.reportEvidence(actor.name, params.id, body);
    return undefined;
  },
  receipts: ({ actor, params }) => receipts.receiptsOf(actor.name, params.id),
});
