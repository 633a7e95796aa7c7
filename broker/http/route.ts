/**
 * The only way to add a route: name its row of the contract table. One request runs gate → authenticate →
 * schema → guard → service → reply, in the order written here (ARCHITECTURE.md).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import type { z } from 'zod';
import { isAllowed, isDecidedByCaller } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { type Operation, type OperationId, operations, type Part, type Reply } from '#protocol/operations.ts';
import type { Actor } from '../runtime/actor.ts';
import type { FairQueue } from '../runtime/fair-queue.ts';
import type { OperationTimings } from '../runtime/operation-timings.ts';
import { type Origin, requestScope, type StoreTime } from '../runtime/request-scope.ts';
import type { Slots } from '../runtime/slots.ts';
import type { StoreGrowth } from '../runtime/store-growth.ts';
import type { CookiePlace } from '../security/session-cookie.ts';
import {
  type Authenticated,
  authenticate,
  type CredentialReader,
  type Presented,
  refuseWrongPlane,
} from './authenticate.ts';
import type { ConnectionGuard, OnLimit } from './connection-guard.ts';
import { JsonBody } from './json-body.ts';
import { methodsOf } from './methods.ts';
import { publicPlace, sourceAddress } from './public-address.ts';
import { declaredBytes } from './read-bytes.ts';
import type { RepliesInTransit } from './replies-in-transit.ts';
import { isOver, whenOver } from './reply-over.ts';
import { compileReply, type ReplySerializer } from './reply-serializer.ts';
import { JsonBytes, sendJson, sendJsonBytes } from './send-json.ts';
import { JsonPages, sendJsonPages } from './send-json-pages.ts';
import { sendTaggedJson } from './send-tagged-json.ts';
import { endStreamSpan } from './trace-requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate of every route that needs a credential. */
    actor: Actor | null;
    /** `performance.now()` when the request came and when its gate let it in. */
    arrivedAt: number;
    admittedAt: number;
  }
}

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
   * Where the request came from: the socket's address, or what a trusted proxy says
   * (specification/enrollment.md#request).
   */
  sourceIp: string;
  /** Under which scheme and port the client reached the broker. */
  place: CookiePlace;
  /** For replies that are not JSON: live streams and raw bytes. */
  reply: FastifyReply;
}

/** JSON text that is sent as it is, so that a service that already holds it saves a second serialization. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Answer<Id extends OperationId> = Reply<Id> | JsonText | JsonBytes | JsonPages;

/** Returns the reply of the row. Routes of streams and raw bytes write to `reply` themselves. */
export type Handler<Id extends OperationId> = (
  call: Call<Id>,
) => Promise<Answer<Id>> | Answer<Id> | undefined;
export type Handlers = { [Id in OperationId]?: Handler<Id> };

export interface RouteContext {
  credentials: CredentialReader;
  /**
   * False until the setup: then only the rows marked beforeSetup are answered (specification/team.md#setup).
   */
  isSetUp: () => boolean;
  isClosing: () => boolean;
  /** Called for every authenticated request. */
  onSeen: (actor: Actor) => void;
  connections: Pick<ConnectionGuard, 'recognize' | 'keepStream'>;
  /** What a member may have open at a time. */
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

/**
 * A failed schema is one sentence about the first place, with the whole issue list as details
 * (specification/api.md#errors).
 */
function parse(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const place = [part, ...(first?.path ?? [])].join('.');
  return refuse(
    'invalid_request',
    { place, issue: first?.message ?? 'does not fit its schema' },
    { details: result.error.issues },
  );
}

/** Returns the JSON value of the body, which the request then no longer holds. @throws BrokerError bad_request. */
function takeBody(request: FastifyRequest): unknown {
  const { body } = request;
  request.body = undefined;
  return body instanceof JsonBody ? body.value() : body;
}

/** What answers a request whose client went away while it waited: nothing. */
const nobody = Symbol('nobody waits for the reply');

type Parts = Record<'params' | 'query' | 'body', unknown>;

function guard(operation: Operation, actor: Actor, parts: Parts): void {
  if (operation.makesCredential && actor.isRun) refuse('run_makes_no_credentials');
  if (!isDecidedByCaller(operation.rule)) return;
  const { self } = operation;
  const named = self === undefined ? undefined : (parts[self.in] as Record<string, unknown>)[self.key];
  const target = named === undefined && self?.isOptional ? actor.name : named;
  if (isAllowed(operation.rule, actor.permissions, target === actor.name ? ['self'] : [])) return;
  const needs = operation.rule
    .map((need) => (need === 'self' ? 'being that member yourself' : need))
    .join(' or ');
  refuse('missing_right', { needs });
}

const presentedBy = (request: FastifyRequest): Presented => ({
  headers: request.headers,
  place: publicPlace(request),
  address: sourceAddress(request),
});

export function addRoute<Id extends OperationId>(
  app: FastifyInstance,
  id: Id,
  handler: Handler<Id>,
  context: RouteContext,
): void {
  const operation: Operation = operations[id];
  const { plane, params, query, body, status } = operation;
  const bodyLimit =
    operation.bodyLimit ?? (plane === 'none' ? limits.body.unauthenticated : limits.body.json);
  const sendText = operation.etag ? sendTaggedJson : sendJson;
  function gate(request: FastifyRequest, reply: FastifyReply): undefined | Promise<void> {
    if (context.isClosing()) refuse('shutting_down');
    if (operation.beforeSetup === undefined && !context.isSetUp()) {
      refuse('not_set_up');
    }
    context.admission?.[id]?.(request.ip);
    if (plane === 'none') return undefined;
    const admit = ({ actor, renewal }: Authenticated): undefined | Promise<undefined> => {
      context.onSeen(actor);
      context.connections.recognize(request.raw.socket);
      request.actor = actor;
      const { traceparent } = request.headers;
      if (typeof traceparent === 'string') request.span?.link(traceparent);
      if (renewal !== undefined) reply.header('set-cookie', renewal);
      refuseWrongPlane(plane, actor);
      const { growsStore } = operation;
      if (growsStore === undefined) return undefined;
      const bytes = declaredBytes(request.raw) ?? bodyLimit;
      return context.growth.admit(growsStore, actor.name, bytes, reply.raw);
    };
    const found = authenticate(presentedBy(request), context.credentials);
    return found instanceof Promise ? found.then(admit) : admit(found);
  }

  /** A body may take longer than the credential, the permission, or the membership lasts that admitted it. */
  async function confirm(request: FastifyRequest): Promise<Actor> {
    const { actor } = await authenticate(presentedBy(request), context.credentials);
    return actor;
  }

  /**
   * Compiled with the first answer: all of them at once are a third of the cost of a start
   * (docs/benchmarks.md).
   */
  let serialize: ReplySerializer | undefined;

  /** The parts of the request, checked. `hasWaited`: for its turn. @throws BrokerError. */
  async function check(request: FastifyRequest, hasWaited: boolean): Promise<Parts> {
    const hasBody = body !== undefined && operation.rawBody === undefined;
    if ((hasBody || hasWaited) && request.actor !== null) request.actor = await confirm(request);
    const parts = {
      params: parse(params, request.params, 'path'),
      query: parse(query, request.query, 'query'),
      body: operation.rawBody
        ? undefined
        : parse(body, takeBody(request) ?? (operation.isBodyOptional && {}), 'body'),
    };
    const { actor } = request;
    if (actor !== null) {
      guard(operation, actor, parts);
      if (operation.leavesRecord && !actor.permissions.includes('members.manage'))
        context.countOwnChange(actor.name);
    }
    return parts;
  }

  /** What takes long to send ends with its credential, which may have ended since the gate. */
  async function beginLongReply(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.actor === null) return;
    context.replies.begin(request.actor, reply.raw);
    await confirm(request);
  }

  /**
   * Takes the caller's slot for as long as the reply is being sent. @throws BrokerError rate_limited if none is
   * left.
   */
  function occupy(kind: 'streams' | 'downloads', { actor }: FastifyRequest, { raw: response }: FastifyReply) {
    if (actor === null) return;
    const { [kind]: slots } = context.slots;
    const giveBack = slots.take(actor.name);
    if (giveBack === null) {
      context.onLimit(kind, actor.name);
      const { max } = slots;
      refuse(kind === 'streams' ? 'too_many_streams' : 'too_many_downloads', { max }, { retryAfter: 5 });
    }
    whenOver(response, giveBack);
  }

  async function answerTo(request: FastifyRequest, reply: FastifyReply, parts: Parts): Promise<unknown> {
    if (operation.method === 'GET' && isOver(reply.raw)) return nobody;
    if (operation.reply === 'stream') occupy('streams', request, reply);
    if (operation.reply === 'bytes') {
      occupy('downloads', request, reply);
      await beginLongReply(request, reply);
      if (isOver(reply.raw)) return nobody;
    }
    return handler({
      ...parts,
      actor: request.actor,
      headers: request.headers,
      url: request.raw.url ?? '',
      upload: request.raw,
      confirm: async () => {
        const present = await confirm(request);
        guard(operation, present, parts);
        return present;
      },
      sourceIp: sourceAddress(request),
      place: publicPlace(request),
      reply,
    } as Call<Id>);
  }

  async function send(request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<unknown> {
    const shape = operation.reply;
    if (answer === nobody) return reply.hijack();
    if (shape === 'stream') {
      context.connections.keepStream(request.raw.socket);
      endStreamSpan(request, reply);
    }
    if (typeof shape === 'string' && shape !== 'empty') return reply;
    if (isOver(reply.raw)) return reply.hijack();
    if (answer instanceof JsonText) sendText(reply, status, answer.text);
    else if (answer instanceof JsonBytes) sendJsonBytes(reply, status, answer);
    else if (answer instanceof JsonPages) {
      occupy('downloads', request, reply);
      await beginLongReply(request, reply);
      await sendJsonPages(reply, status, answer);
    } else if (shape === 'empty') sendJson(reply, status, '');
    else {
      serialize ??= await compileReply(shape);
      if (isOver(reply.raw)) return reply.hijack();
      sendText(reply, status, serialize(answer));
    }
    return reply;
  }

  /** A body takes as long as its client wants, so it must not take a turn from the caller's other requests. */
  const { reads, changes, uploads } = context.turns;
  const requests = operation.method === 'GET' ? reads : changes;
  const turns = operation.rawBody === undefined ? requests : uploads;

  function inTurn(request: FastifyRequest, work: () => Promise<unknown>): Promise<unknown> {
    // A file is sent for as long as its client wants, and others take the time that they need.
    if (request.actor === null || operation.reply === 'bytes' || operation.waits) return work();
    return turns.run(request.actor.name, work);
  }

  /** Who makes the request; the caller is read again when its body has arrived. */
  const originOf = (request: FastifyRequest): Origin => ({
    get actor() {
      return request.actor;
    },
    address: sourceAddress(request),
  });

  /** Where a request's time goes: to its gate, its body, its checks, the stores, and the rest. */
  async function timed(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { arrivedAt, admittedAt } = request;
    const readAt = performance.now();
    const storeTime: StoreTime = { queue: 0, statements: 0, commit: 0 };
    const origin = originOf(request);
    let begunAt: number | undefined;
    let calledAt: number | undefined;
    try {
      return await requestScope.run({ storeTime, origin, span: request.span }, async () => {
        let hasWaited = false;
        const answering = inTurn(request, async () => {
          begunAt = performance.now();
          const parts = await check(request, hasWaited);
          calledAt = performance.now();
          request.span?.set({
            'muster.body_ms': readAt - admittedAt,
            'muster.turn_ms': begunAt - readAt,
            'muster.checks_ms': admittedAt - arrivedAt + (calledAt - begunAt),
          });
          return answerTo(request, reply, parts);
        });
        hasWaited = true;
        return send(request, reply, await answering);
      });
    } finally {
      const endedAt = performance.now();
      const checkedFrom = begunAt ?? endedAt;
      const checkedAt = calledAt ?? endedAt;
      const inStore = storeTime.queue + storeTime.statements + storeTime.commit;
      context.timings.record(id, {
        checks: admittedAt - arrivedAt + (checkedAt - checkedFrom),
        body: readAt - admittedAt,
        ...storeTime,
        // Calls that a request makes side by side add up to more than the time that passed.
        rest: Math.max(0, checkedFrom - readAt + (endedAt - checkedAt) - inStore),
      });
    }
  }

  app.route({
    method: methodsOf(operation),
    url: operation.path,
    ...(body !== undefined && operation.rawBody === undefined && { preParsing: context.holdLargeBodies }),
    bodyLimit,
    onRequest: (request, reply, done) => {
      const admit = () => {
        request.admittedAt = performance.now();
        done();
      };
      try {
        request.arrivedAt = performance.now();
        request.span?.set({ 'muster.operation': id });
        const waiting = gate(request, reply);
        if (waiting === undefined) admit();
        else waiting.then(admit, done);
      } catch (error) {
        done(error as Error);
      }
    },
    handler: timed,
  });
}
