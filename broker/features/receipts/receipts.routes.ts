import type { Handlers } from '../../http/route.ts';
import type { ReceiptsService } from './receipts.service.ts';

export const receiptRoutes = (receipts: ReceiptsService): Handlers => ({
  unread: ({ actor }) => receipts.unread(actor.name),
  waiting: ({ actor }) => receipts.waiting(actor.name),
  reportRead: async ({ actor, body }) => {
    await receipts.reportRead(actor.name, body);
    return undefined;
  },
  reportEvidence: async ({ actor, params, body }) => {
    await receipts.reportEvidence(actor.name, params.id, body);
    return undefined;
  },
  receipts: ({ actor, params }) => receipts.receiptsOf(actor.name, params.id),
});
