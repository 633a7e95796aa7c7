/**
 * What the stores know of the request that calls them: whose it is, and how long it waited. The serving side of
 * a store adds to the request that calls it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Durations in ms, summed over the calls of one request. */
export interface StoreTime {
  /** The member whose request it is; null without a credential. */
  readonly caller: string | null;
  /** Until the store's thread took the call, and for its answer to come back. */
  queue: number;
  /** The statements of the turn that ran the call, also those of other calls in the same turn. */
  statements: number;
  /** The commit of that turn; 0 for reads. */
  commit: number;
}

/** Holds the time of the request that runs; nothing outside requests. */
export const storeTimeOfRequest = new AsyncLocalStorage<StoreTime>();
