/** The values of an audit record that are points in time (specification/audit.md). */
import type { AuditValues } from './audit.ts';

/** The last point in time that a `Date` can have. */
const maxTime = 8_640_000_000_000_000;

/** Whether the value of a field is a point in time in epoch ms: the names of such fields end in `At`. */
export const isInstant = (name: string, value: AuditValues[string] | undefined): value is number =>
  /[a-z]At$/.test(name) && Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxTime;
