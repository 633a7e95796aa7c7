/** Values of an audit record as the console shows them (specification/console.md#audit-log). */
import type { AuditValues } from '#protocol/audit.ts';
import { isInstant } from '#protocol/audit-instant.ts';

/** Returns the value of a field as text. `timeText` writes a point in time in epoch ms for the reader. */
export function auditValueText(
  name: string,
  value: AuditValues[string] | undefined,
  timeText: (at: number) => string,
): string {
  if (value === undefined || value === null || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return isInstant(name, value) ? timeText(value) : String(value);
}
