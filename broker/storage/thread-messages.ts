/**
 * The messages that the store host and a store thread send to each other. Calls are answered in the order in which they
 * arrived, so they need no ids.
 */
import { BrokerError, type ErrorCode } from '#protocol/errors.ts';
import type { ShipSettings } from '../standby/ship.ts';

export type ThreadRole = 'writer' | 'reader';

export interface ThreadSettings {
  /** The name of the unit table to load. */
  store: string;
  /** A path, or `:memory:`. */
  file: string;
  role: ThreadRole;
  /** Of the writer of an active broker that others stand by for. */
  ship?: ShipSettings;
}

/**
 * Returns the `bytes` of inputs or answers that are an ArrayBuffer: they move to the other thread instead of
 * being copied, and are gone from the sender.
 */
export function movedWith(values: readonly unknown[]): ArrayBuffer[] {
  const moved: ArrayBuffer[] = [];
  for (const value of values) {
    if (typeof value !== 'object' || value === null || !('bytes' in value)) continue;
    if (value.bytes instanceof ArrayBuffer) moved.push(value.bytes);
  }
  return moved;
}

/** To the thread: one turn's calls, or the order to finish. */
export type ToThread = { names: string[]; inputs: unknown[] } | 'close';

export interface UnitNames {
  reads: string[];
  longReads: string[];
  writes: string[];
  /** Those of the writes whose input is JSON. */
  fromJson: string[];
}

/**
 * From the thread: first `ready` or `failed`, then the answers of each turn: of all its calls, or of reads in parts, of
 * which each has the next calls.
 */
export type FromThread =
  | {
      ready: UnitNames;
      /** Of indexes in its file; null if none was found. */
      damage: string | null;
    }
  | { failed: { message: string; exitCode: number; isUnusable: boolean } }
  /** The log of the standbys does not have the last turn, and nobody may be answered anymore. */
  | { unshipped: string }
  /** The log lost what it had confirmed, and gets all of the store anew. It may come at any time. */
  | { lostTail: true }
  /** Why the log of the standbys takes nothing; null if it does again. It may come at any time. */
  | { untaken: string | null }
  | ({ values: unknown[]; failures: [index: number, failure: Failure][] } & TurnTime);

/** Durations of a turn on its thread, in ms. */
export interface TurnTime {
  /** All of it, from the first statement to the end of the commit. */
  turnMs: number;
  /** 0 for reads. */
  commitMs: number;
  /** The time that each of the answered calls took; absent for writes. */
  callMs?: number[];
  /** The log of the standbys got something of the turn. */
  isShipped?: boolean;
}

/** An error that crosses threads: a refusal keeps its code and reason; everything else is described for the log. */
export type Failure =
  | {
      refusal: {
        code: ErrorCode;
        reason: string | null;
        message: string;
        details: unknown;
        retryAfter: number | undefined;
      };
    }
  | { storage: string }
  | { bug: string };

/** Whether SQLite found damage in the file. */
export const isDamage = (failure: Failure): failure is { storage: string } =>
  'storage' in failure && /^SQLITE_(CORRUPT|NOTADB)|: vtable constructor failed/.test(failure.storage);

/** Whether the file did not take what was to be written, for example because the disk is full. */
export const isUnwritten = (failure: Failure): boolean =>
  'storage' in failure && /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(failure.storage);

const isSqliteError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && error.name === 'SqliteError' && 'code' in error;

export function describeFailure(error: unknown): Failure {
  if (error instanceof BrokerError) {
    const { code, reason, message, details, retryAfter } = error;
    return { refusal: { code, reason, message, details, retryAfter } };
  }
  if (isSqliteError(error) && !error.code.startsWith('SQLITE_CONSTRAINT'))
    return { storage: `${error.code}: ${error.message}` };
  return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
