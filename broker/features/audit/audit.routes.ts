import type { Handlers } from '../../http/route.ts';
import type { Audit } from './audit.service.ts';

export const auditRoutes = (audit: Pick<Audit, 'list' | 'acknowledgeCut'>): Handlers => ({
  audit: ({ query }) => audit.list(query),
  acknowledgeAuditCut: async ({ params }) => {
    await audit.acknowledgeCut(params.seq);
    return undefined;
  },
});
