/** One refusal of the catalog. */
import type { ErrorCode } from '../errors.ts';

export interface Refusal {
  code: ErrorCode;
  /** Says the cause. */
  sentence: string;
  /** Says the next step of the caller. */
  remedy?: string;
  /** Replaces the status of the code (specification/api.md#errors). */
  status?: 415 | 416;
}
