import type { Handlers } from '../../http/route.ts';
import type { Audit } from './audit.service.ts';

export const auditRoutes = (audit: Pick<Audit, 'list'>): Handlers => ({
  audit: ({ query }) => audit.list(query),
});
