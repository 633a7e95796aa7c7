/**
 * The typed caller that is derived from the contract table. The command, the runner, and the console use it,
 * each with its own way of sending (HTTP, IPC).
 */
import type { z } from 'zod';
import type { ErrorReply } from './error-reply.ts';
import { BrokerError, statusByCode } from './errors.ts';
import { limits } from './limits.ts';
import { operationRoutes } from './operation-routes.ts';
import type { OperationId, operations, Reply } from './operations.ts';

export interface WireRequest {
  method: string;
  /** Path and query, without the base URL. */
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}
export interface WireReply {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}
export type Send = (request: WireRequest) => Promise<WireReply>;

type Input<Id extends OperationId, Key extends 'params' | 'query' | 'body'> =
  (typeof operations)[Id] extends Record<Key, infer S extends z.ZodType>
    ? Needed<Key, Loose<z.input<S>>>
    : unknown;

/** A part that may be empty may be left out. */
type Needed<Key extends string, Value> =
  Record<never, never> extends Value ? { [K in Key]?: Value } : { [K in Key]: Value };

/** Brands are for what came from outside; a caller passes plain strings, and the broker checks them. */
type Loose<T> = T extends string & z.core.$brand<string | number | symbol>
  ? string
  : T extends object
    ? { [K in keyof T]: Loose<T[K]> }
    : T;

export type CallInput<Id extends OperationId> = Input<Id, 'params'> &
  Input<Id, 'query'> &
  Input<Id, 'body'> & { headers?: Record<string, string> };

export interface BrokerClient {
  /**
   * Calls one operation. @throws BrokerError with the broker's own code, reason, and sentence for every reply
   * that is not 2xx, or unavailable for one that is not a broker's.
   */
  call<Id extends OperationId>(id: Id, input: CallInput<Id>): Promise<Reply<Id>>;
}

interface LooseInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Returns whether readers of an address remove this segment from it, which they do even if it is encoded. */
const isDots = (segment: string): boolean => segment === '.' || segment === '..';

/** A name or an id as a part of an address. */
function encodedPart(value: string): string {
  if (value === '' || isDots(value))
    throw new BrokerError('bad_request', `"${value}" is neither a name nor an id`);
  return encodeURIComponent(value.toWellFormed());
}

/** A path within the path: its segments are encoded one by one. */
function encodedPath(path: string): string {
  const segments = path.toWellFormed().split('/');
  if (segments.some(isDots))
    throw new BrokerError('bad_request', `the path "/${path}" must not have "." or ".." as a segment`);
  return segments.map(encodeURIComponent).join('/');
}

/**
 * Returns the request of one operation, for callers that stream or upload by themselves. @throws BrokerError
 * bad_request for a name, an id, or a path that cannot be a part of an address.
 */
export function requestOf(id: OperationId, input: LooseInput): WireRequest {
  const operation = operationRoutes[id];
  const given = (key: string): string => String(input.params?.[key]);
  const path = operation.path
    .replaceAll(/:(\w+)/g, (_, key) => encodedPart(given(key)))
    .replace('*', () => encodedPath(given('*')));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) search.append(key, String(one));
    }
  }
  const query = search.size > 0 ? `?${search}` : '';
  const headers: Record<string, string> = {
    'x-svc-protocol': String(limits.protocolVersion),
    ...(input.body !== undefined && { 'content-type': 'application/json' }),
    ...input.headers,
  };
  return {
    method: operation.method,
    url: path + query,
    headers,
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
  };
}

const notOfABroker = (status: number): BrokerError =>
  new BrokerError('unavailable', `the address answered ${status} and is not a broker`, { status });

/**
 * Returns the content of a 2xx reply. @throws BrokerError unavailable for what is not JSON: another server
 * answers at that address.
 */
export function answerOf(status: number, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw notOfABroker(status);
  }
}

/** Accepts the same values as the schema of this name, without the schemas, which take longer to load than most calls. */
function isErrorReply(value: unknown): value is ErrorReply {
  if (typeof value !== 'object' || value === null) return false;
  const { error, message, reason, errorDescription }: { [Name in keyof ErrorReply]?: unknown } = value;
  return (
    typeof error === 'string' &&
    Object.hasOwn(statusByCode, error) &&
    typeof message === 'string' &&
    ['string', 'undefined'].includes(typeof reason) &&
    (errorDescription === null || ['string', 'undefined'].includes(typeof errorDescription))
  );
}

/** Turns a reply that is not 2xx into its error; a reply that is not a broker's keeps its status. */
export function errorOf(status: number, body: string, retryAfter: string | null): BrokerError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    parsed = undefined;
  }
  // A proxy in between may have sent a date.
  const seconds = Number(retryAfter ?? Number.NaN);
  if (!isErrorReply(parsed)) return notOfABroker(status);
  return new BrokerError(parsed.error, parsed.message, {
    status,
    reason: parsed.reason ?? null,
    details: parsed.details,
    errorDescription: parsed.errorDescription ?? null,
    ...(Number.isFinite(seconds) && { retryAfter: Math.max(0, seconds) }),
  });
}

export function createClient(send: Send): BrokerClient {
  return {
    async call(id, input) {
      const reply = await send(requestOf(id, input as LooseInput));
      const body = await reply.text();
      if (reply.status < 200 || reply.status > 299)
        throw errorOf(reply.status, body, reply.headers.get('retry-after'));
      const { isEmpty = false } = operationRoutes[id];
      return (isEmpty && body === '' ? undefined : answerOf(reply.status, body)) as never;
    },
  };
}
