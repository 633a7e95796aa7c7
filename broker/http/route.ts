/**
 * The only way to add a route: name its row of the contract table. Every request of every row takes the same steps, in
 * the order in which this file has them (ARCHITECTURE.md): gate, body, turn, check, handler, reply.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, preParsingHookHandler } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { type Operation, type OperationId, operations, type Part, type Reply } from '#protocol/operations.ts';
import type { Actor } from '../runtime/actor.ts';
import type { FairQueue } from '../runtime/fair-queue.ts';
import type { OperationTimings } from '../runtime/operation-timings.ts';
import { requestScope } from '../runtime/request-scope.ts';
import type { Slots } from '../runtime/slots.ts';
import type { StoreGrowth } from '../runtime/store-growth.ts';
import type { Span } from '../runtime/tracing.ts';
import type { CookiePlace } from '../security/session-cookie.ts';
import type { ConnectionGuard, OnLimit } from '../wire/connection-guard.ts';
import { type Authenticated, authenticate, type CredentialReader, refuseWrongPlane } from './authenticate.ts';
import type { JsonReply } from './json-reply.ts';
import { methodsOf } from './methods.ts';
import { declaredBytes } from './read-bytes.ts';
import type { RepliesInTransit } from './replies-in-transit.ts';
import { isOver } from './reply-over.ts';
import { admitCaller, type Parts, partsOf } from './route-check.ts';
import { createSend, nobody, occupy, type Send } from './route-reply.ts';
import { Visit } from './visit.ts';

export interface Call<Id extends OperationId> {
  actor: (typeof operations)[Id]['plane'] extends 'none' ? null : Actor;
  params: Part<Id, 'params'>;
  query: Part<Id, 'query'>;
  /** Absent in rows with `rawBody`. */
  body: (typeof operations)[Id] extends { rawBody: unknown } ? undefined : Part<Id, 'body'>;
  headers: IncomingHttpHeaders;
  /** Path and query as received, undecoded. */
  url: string;
  /** The request as a stream: the body of rows with `rawBody`, which nobody else reads. */
  upload: IncomingMessage;
  /**
   * Returns the present caller, for rows with `rawBody`: call it when the body has arrived, before anything
   * is done with it. Other rows get the caller as it was when the body had arrived. @throws BrokerError
   * unauthenticated, forbidden.
   */
  confirm: () => Promise<Actor>;
  /**
   * The source of the request: the socket's address, or what a trusted proxy says
   * (specification/enrollment.md#request).
   */
  sourceIp: string;
  /** The scheme and port under which the client reached the broker. */
  place: CookiePlace;
  /** For replies that are not JSON: live streams and raw bytes. */
  reply: FastifyReply;
}

/** Returns the reply of the row. Routes of streams and raw bytes write to `reply` themselves. */
export type Handler<Id extends OperationId> = (
  call: Call<Id>,
) => Promise<Reply<Id> | JsonReply> | Reply<Id> | JsonReply | undefined;
export type Handlers = { [Id in OperationId]?: Handler<Id> };

export interface RouteContext {
  credentials: CredentialReader;
  /**
   * False until the setup: then only the rows marked beforeSetup are answered (specification/team.md#setup).
   */
  isSetUp: () => boolean;
  isClosing: () => boolean;
  /** False while another broker may be the active one. */
  isActive: () => boolean;
  /** Called for every authenticated request. */
  onSeen: (actor: Actor) => void;
  connections: Pick<ConnectionGuard, 'recognize' | 'keepStream'>;
  /** The streams and downloads that a member may have open at a time. */
  slots: { streams: Slots; downloads: Slots };
  /** Share the broker's work between members. */
  turns: Record<'reads' | 'changes' | 'uploads', FairQueue>;
  /** Makes a large body wait while many of its member are held. */
  holdLargeBodies: preParsingHookHandler;
  /** Counts a change that leaves a record in the audit log. @throws BrokerError rate_limited. */
  countOwnChange: (member: string) => void;
  /** Admits what members add to the stores. */
  growth: Pick<StoreGrowth, 'admit'>;
  onLimit: OnLimit;
  timings: Pick<OperationTimings, 'record'>;
  replies: Pick<RepliesInTransit, 'begin'>;
  /**
   * Limits per source that count a request before anything of it is read, malformed ones included
   * (specification/enrollment.md#request). @throws BrokerError rate_limited.
   */
  admission?: Partial<Record<OperationId, (sourceIp: string) => void>>;
}

/** A row of the contract table with what serves it. */
interface Row {
  id: OperationId;
  operation: Operation;
  handler: Handler<OperationId>;
  context: RouteContext;
  /** Bytes. */
  bodyLimit: number;
  /** The body is read before the handler is called. */
  readsBody: boolean;
  /** Shares the work between members; null if each request has its turn at once. */
  turns: FairQueue | null;
  send: Send;
}

export function addRoute<Id extends OperationId>(
  app: FastifyInstance,
  id: Id,
  handler: Handler<Id>,
  context: RouteContext,
): void {
  const row = rowOf(id, handler as Handler<OperationId>, context);
  const { operation, bodyLimit, readsBody } = row;
  app.route({
    method: methodsOf(operation),
    url: operation.path,
    ...(readsBody && { preParsing: context.holdLargeBodies }),
    bodyLimit,
    onRequest(request, reply, done) {
      try {
        const visit = new Visit(request, reply);
        request.visit = visit;
        request.span?.set({ 'muster.operation': id });
        const admit = () => {
          visit.admittedAt = performance.now();
          done();
        };
        const waiting = enter(row, visit);
        if (waiting === undefined) admit();
        else waiting.then(admit, done);
      } catch (error) {
        done(error as Error);
      }
    },
    handler: ({ visit }) => visit && requestScope.run(visit, answer, row, visit),
  });
}

function rowOf(id: OperationId, handler: Handler<OperationId>, context: RouteContext): Row {
  const operation: Operation = operations[id];
  const { plane, method, body, rawBody, reply, waits } = operation;
  const { reads, changes, uploads } = context.turns;
  // A body takes as long as its client wants, so it must not take a turn from the caller's other requests.
  const turns = rawBody === undefined ? (method === 'GET' ? reads : changes) : uploads;
  return {
    id,
    operation,
    handler,
    context,
    bodyLimit: operation.bodyLimit ?? (plane === 'none' ? limits.body.unauthenticated : limits.body.json),
    readsBody: body !== undefined && rawBody === undefined,
    // A file is sent for as long as its client wants, and others take the time that they need.
    turns: plane === 'none' || reply === 'bytes' || waits ? null : turns,
    send: createSend(operation, context, (visit) => beginLongReply(context, visit)),
  };
}

/** The gate: before anything of the body is read. */
function enter(row: Row, visit: Visit): undefined | Promise<undefined> {
  const { id, operation, context } = row;
  if (context.isClosing()) refuse('shutting_down');
  if (!context.isActive() && operation.isUnfenced === undefined) refuse('not_confirmed');
  if (operation.beforeSetup === undefined && !context.isSetUp()) refuse('not_set_up');
  context.admission?.[id]?.(visit.request.ip);
  if (operation.plane === 'none') return undefined;
  const found = authenticate(visit, context.credentials);
  return found instanceof Promise ? found.then((one) => admit(row, visit, one)) : admit(row, visit, found);
}

function admit(
  { operation, context, bodyLimit }: Row,
  { request, reply }: Visit,
  { actor, renewal }: Authenticated,
): undefined | Promise<undefined> {
  context.onSeen(actor);
  context.connections.recognize(request.raw.socket);
  request.actor = actor;
  const { traceparent } = request.raw.headers;
  if (typeof traceparent === 'string') request.span?.link(traceparent);
  if (renewal !== undefined) reply.header('set-cookie', renewal);
  refuseWrongPlane(operation.plane, actor);
  const { growsStore } = operation;
  if (growsStore === undefined) return undefined;
  const bytes = declaredBytes(request.raw) ?? bodyLimit;
  return context.growth.admit(growsStore, actor.name, bytes, reply.raw);
}

/** Everything after the body has arrived. */
async function answer(row: Row, visit: Visit): Promise<unknown> {
  const { turns, context } = row;
  const { actor } = visit;
  visit.readAt = performance.now();
  try {
    let answered: unknown;
    const waiting = actor === null ? undefined : turns?.enter(actor.name);
    if (waiting !== undefined) {
      await waiting;
      visit.hasWaited = true;
    }
    try {
      visit.begunAt = performance.now();
      const checking = check(row, visit);
      const parts = checking instanceof Promise ? await checking : checking;
      visit.calledAt = performance.now();
      if (visit.span !== null) traceSteps(visit.span, visit);
      answered = await call(row, visit, parts);
    } finally {
      if (actor !== null) turns?.leave(actor.name);
    }
    const sending = row.send(visit, answered);
    return sending instanceof Promise ? await sending : sending;
  } finally {
    context.timings.record(row.id, visit.phases(performance.now()));
  }
}

/** A body may take longer than the credential, the permission, or the membership lasts that admitted it. */
function check(row: Row, visit: Visit): Parts | Promise<Parts> {
  if (visit.actor === null || !(row.readsBody || visit.hasWaited)) return checked(row, visit);
  const found = authenticate(visit, row.context.credentials);
  const confirmed = ({ actor }: Authenticated): Parts => {
    visit.request.actor = actor;
    return checked(row, visit);
  };
  return found instanceof Promise ? found.then(confirmed) : confirmed(found);
}

/** @throws BrokerError. */
function checked({ operation, context }: Row, { request, actor }: Visit): Parts {
  const parts = partsOf(operation, request);
  if (actor === null) return parts;
  admitCaller(operation, actor, parts);
  if (operation.leavesRecord && !actor.permissions.includes('members.manage'))
    context.countOwnChange(actor.name);
  return parts;
}

function call(row: Row, visit: Visit, parts: Parts): unknown {
  const { operation, context, handler } = row;
  if (operation.method === 'GET' && isOver(visit.reply.raw)) return nobody;
  if (operation.reply === 'stream') occupy(context, 'streams', visit);
  if (operation.reply === 'bytes') return callForBytes(row, visit, parts);
  return handler(new RowCall(row, visit, parts) as Call<OperationId>);
}

async function callForBytes(row: Row, visit: Visit, parts: Parts): Promise<unknown> {
  occupy(row.context, 'downloads', visit);
  await beginLongReply(row.context, visit);
  return isOver(visit.reply.raw) ? nobody : row.handler(new RowCall(row, visit, parts) as Call<OperationId>);
}

/** Most handlers need little of it, so the rest is read when it is asked for. */
class RowCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly actor: Actor | null;
  readonly reply: FastifyReply;
  readonly #visit: Visit;
  readonly confirm: () => Promise<Actor>;

  constructor({ operation, context }: Row, visit: Visit, parts: Parts) {
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.actor = visit.actor;
    this.reply = visit.reply;
    this.#visit = visit;
    this.confirm = async () => {
      const { actor } = await authenticate(visit, context.credentials);
      admitCaller(operation, actor, parts);
      return actor;
    };
  }

  get headers(): IncomingHttpHeaders {
    return this.#visit.headers;
  }

  get upload(): IncomingMessage {
    return this.#visit.request.raw;
  }

  get url(): string {
    return this.upload.url ?? '';
  }

  get sourceIp(): string {
    return this.#visit.address;
  }

  get place(): CookiePlace {
    return this.#visit.place;
  }
}

/** A reply that takes long to send ends with its credential, which may have ended since the gate. */
async function beginLongReply({ replies, credentials }: RouteContext, visit: Visit): Promise<void> {
  if (visit.actor === null) return;
  replies.begin(visit.actor, visit.reply.raw);
  await authenticate(visit, credentials);
}

function traceSteps(
  span: Span,
  { arrivedAt, admittedAt, readAt, begunAt = readAt, calledAt = begunAt }: Visit,
): void {
  span.set({
    'muster.body_ms': readAt - admittedAt,
    'muster.turn_ms': begunAt - readAt,
    'muster.checks_ms': admittedAt - arrivedAt + (calledAt - begunAt),
  });
}
