/** A collector for tests: it receives OTLP over HTTP, checks it strictly, and keeps the spans. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { z } from 'zod';
import { readTraceRequest } from './otlp-protobuf.ts';

const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.number().int() }),
  z.strictObject({ doubleValue: z.number() }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value })).default([]);
const traceId = z.string().regex(/^(?!0+$)[0-9a-f]{32}$/);
const spanId = z.string().regex(/^(?!0+$)[0-9a-f]{16}$/);
const nanos = z.string().regex(/^\d{19}$/);
const none = z.literal(0).optional();
const Link = z.strictObject({
  traceId,
  spanId,
  attributes: Attributes,
  droppedAttributesCount: none,
  flags: z.number().optional(),
});
const SpanSchema = z.strictObject({
  traceId,
  spanId,
  parentSpanId: spanId.optional(),
  name: z.string().min(1),
  kind: z.union([
    z.literal(1).transform(() => 'internal' as const),
    z.literal(2).transform(() => 'server' as const),
    z.literal(3).transform(() => 'client' as const),
  ]),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes: Attributes,
  droppedAttributesCount: none,
  events: z.array(z.never()).default([]),
  droppedEventsCount: none,
  links: z.array(Link).default([]),
  droppedLinksCount: none,
  status: z.strictObject({ code: z.number().int().max(2).default(0) }).default({ code: 0 }),
  flags: z.number().optional(),
});
const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes, droppedAttributesCount: none }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.literal('muster'), version: z.string() }),
          spans: z.array(SpanSchema),
        }),
      ),
    }),
  ),
});

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: 'internal' | 'server' | 'client';
  /** Epoch ns. */
  startedAt: bigint;
  endedAt: bigint;
  facts: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  resource: Record<string, unknown>;
}

export interface TraceReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Of each request that came. */
  requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** Why requests were not valid. */
  faults: string[];
  /** Answers so from now on; 'never' leaves requests without an answer. */
  answer: number | 'never';
  /** Resolves when the next connection has come and ended. */
  connectionEnded(): Promise<void>;
  close(): Promise<void>;
}

const factsOf = (attributes: z.infer<typeof Attributes>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function spansOf(body: unknown): ReceivedSpan[] {
  return Request.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? null,
        name: span.name,
        kind: span.kind,
        startedAt: BigInt(span.startTimeUnixNano),
        endedAt: BigInt(span.endTimeUnixNano),
        facts: factsOf(span.attributes),
        links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
        isError: span.status.code === 2,
        resource: factsOf(resource.attributes),
      })),
    ),
  );
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const { url: path = '', headers, method } = request;
    receiver.requests.push({ path, headers, body });
    if (receiver.answer === 'never') return;
    const type = headers['content-type'];
    try {
      if (method !== 'POST' || path !== '/v1/traces') throw new Error(`${method} ${path}`);
      if (type === 'application/json') receiver.spans.push(...spansOf(JSON.parse(body.toString('utf8'))));
      else if (type === 'application/x-protobuf') receiver.spans.push(...spansOf(readTraceRequest(body)));
      else throw new Error(`content type ${type}`);
    } catch (error) {
      receiver.faults.push(String(error));
    }
    // An empty message in protobuf, and an empty object in JSON.
    response
      .writeHead(receiver.answer, { 'content-type': type })
      .end(type === 'application/json' ? '{}' : '');
  });
  const receiver: TraceReceiver = {
    url: '',
    spans: [],
    requests: [],
    faults: [],
    answer: 200,
    connectionEnded: () =>
      new Promise((resolve) =>
        server.once('connection', (socket: Socket) => socket.once('close', () => resolve())),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
