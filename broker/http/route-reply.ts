/** The last step of a request: what its handler answered leaves the broker. */
import type { FastifyReply } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import type { Operation } from '#protocol/operations.ts';
import { JsonReply } from './json-reply.ts';
import { isOver, whenOver } from './reply-over.ts';
import { compileReply, type ReplySerializer } from './reply-serializer.ts';
import type { RouteContext } from './route.ts';
import { sendJson, sendJsonBytes, sendJsonPages, sendTaggedJson } from './send-json.ts';
import { endStreamSpan } from './trace-requests.ts';
import type { Visit } from './visit.ts';

/** The answer to a request whose client went away while it waited: none. */
export const nobody = Symbol('nobody waits for the reply');

/** Returns what Fastify is told: the reply, or a promise of it. */
export type Send = (visit: Visit, answer: unknown) => FastifyReply | Promise<FastifyReply>;

/**
 * Takes the caller's slot for as long as the reply is being sent. @throws BrokerError rate_limited if none is
 * left.
 */
export function occupy(
  { slots: slotsByKind, onLimit }: RouteContext,
  kind: 'streams' | 'downloads',
  { actor, reply }: Visit,
): void {
  if (actor === null) return;
  const slots = slotsByKind[kind];
  const giveBack = slots.take(actor.name);
  if (giveBack === null) {
    onLimit(kind, actor.name);
    const { max } = slots;
    refuse(kind === 'streams' ? 'too_many_streams' : 'too_many_downloads', { max }, { retryAfter: 5 });
  }
  whenOver(reply.raw, giveBack);
}

/** Returns the step for one row. `beginLongReply`: see `route.ts`. */
export function createSend(
  operation: Operation,
  context: RouteContext,
  beginLongReply: (visit: Visit) => Promise<void>,
): Send {
  const { reply: shape, status } = operation;
  const sendText = operation.etag ? sendTaggedJson : sendJson;
  /** Compiled with the first answer: all of them at once are a third of the cost of a start (docs/benchmarks.md). */
  let serialize: ReplySerializer | undefined;

  async function sendPages(visit: Visit, pages: AsyncIterable<Uint8Array>): Promise<FastifyReply> {
    occupy(context, 'downloads', visit);
    await beginLongReply(visit);
    await sendJsonPages(visit.reply, status, pages);
    return visit.reply;
  }

  function sendValue({ reply }: Visit, answer: unknown, compiled: ReplySerializer): FastifyReply {
    if (isOver(reply.raw)) return reply.hijack();
    sendText(reply, status, compiled(answer));
    return reply;
  }

  return (visit, answer) => {
    const { reply, request } = visit;
    if (answer === nobody) return reply.hijack();
    if (shape === 'stream') {
      context.connections.keepStream(request.raw.socket);
      endStreamSpan(request, reply);
    }
    if (shape === 'stream' || shape === 'bytes') return reply;
    if (isOver(reply.raw)) return reply.hijack();
    if (answer instanceof JsonReply) {
      const { content } = answer;
      if (typeof content === 'string') sendText(reply, status, content);
      else if (content instanceof Uint8Array) sendJsonBytes(reply, status, content);
      else return sendPages(visit, content);
      return reply;
    }
    if (shape === 'empty') {
      sendJson(reply, status, '');
      return reply;
    }
    if (serialize !== undefined) return sendValue(visit, answer, serialize);
    return compileReply(shape).then((compiled) => {
      serialize = compiled;
      return sendValue(visit, answer, compiled);
    });
  };
}
