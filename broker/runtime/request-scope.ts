/** The data of the request that runs: how long it waited for the stores, who makes it, and its span. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from './actor.ts';
import type { Span } from './tracing.ts';

/** Durations in ms, summed over the calls of one request. */
export interface StoreTime {
  /** Until the store's thread took the call, and for its answer to come back. */
  queue: number;
  /** The statements of the turn that ran the call, also those of other calls in the same turn. */
  statements: number;
  /** The commit of that turn; 0 for reads. */
  commit: number;
}

/** Null for whoever has no credential. `address` is the socket's, or what a trusted proxy says. */
export interface Origin {
  actor: Pick<Actor, 'name' | 'plane' | 'credentialId'> | null;
  address: string;
}

export interface RequestScope {
  storeTime: StoreTime;
  origin: Origin;
  /** Null if the request is not traced. */
  span: Span | null;
}

/** Holds the scope of the request that runs; nothing outside requests. */
export const requestScope = new AsyncLocalStorage<RequestScope>();
