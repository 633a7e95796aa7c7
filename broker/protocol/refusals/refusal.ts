/** One refusal of the catalog. */
import type { ErrorCode } from '../errors.ts';

export interface Refusal {
  code: ErrorCode;
  /** What happened. */
  sentence: string;
  /** What the caller can do about it. */
  remedy?: string;
  /** Replaces the status of the code (specification/api.md#errors). */
  status?: 415 | 416;
}
