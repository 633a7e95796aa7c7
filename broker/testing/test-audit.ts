/** The real audit log on the store of a test that composes services by itself. */
import { type Audit, createAudit } from '../features/audit/audit.service.ts';
import type { AuditUnits } from '../features/audit/audit.sqlite.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';

export type { AuditUnits };

export const testAudit = (units: AuditUnits, clock: Clock, log: Log): Audit =>
  createAudit({ configured: () => ({ config: null, platform: null }), units, clock, log });
