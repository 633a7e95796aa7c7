/**
 * The loopback gateway between the agent and its model: what the agent sends and receives passes through
 * unchanged and becomes activity (specification/runner.md#what-the-agent-did). Nothing else on this machine
 * can use it, because its address contains a secret.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Agent, AgentOptions, IncomingMessage, ServerResponse } from 'node:http';
import { reasonOf } from '#platform/error-text.ts';
import type { ActivityEvent } from '#protocol/activity.ts';
import { AgentError } from '../agents/agent.ts';
import { type BodyCopy, type CopyBudget, createBodyCopy } from './body-copy.ts';
import { type CarriedTexts, readCarriedTexts } from './carried-texts.ts';
import { oneOf, previewOf } from './copied-preview.ts';
import { exchangeKindOf } from './exchange-kind.rules.ts';
import type { ExchangeKind } from './exchange-parts.rules.ts';
import { headersByName } from './forwarded-headers.rules.ts';
import { listenOnLoopback } from './loopback-server.ts';
import { parsed } from './loose-json.rules.ts';
import { modelAddress, pathAt } from './model-address.ts';
import { type ModelReply, replyOf } from './model-reply.rules.ts';
import { opaqueEvent } from './opaque-event.rules.ts';
import { type Passed, passThrough } from './pass-through.ts';
import { withProxyForAll } from './proxy-environment.rules.ts';
import { readExchange } from './read-exchange.ts';

export interface ModelGatewayOptions {
  /**
   * The address for the agent's requests. A path and a query in `url` precede the agent's own; `api` is
   * reported as the provider.
   */
  upstream: { url: string; api: 'anthropic' | 'openai' };
  /** One `llm_exchange`, masked. */
  onExchange(event: ActivityEvent): void;
  /** One `opaque_http`, masked. */
  onOpaque(event: ActivityEvent): void;
  /** How many exchanges are in progress or not yet reported. */
  onFlight(count: number): void;
  /** How many turns of the agent have ended. */
  turn?: (() => number) | undefined;
  /** One exchange of the agent's conversation, how its model replied, and `turn` when it began; after it was recorded. */
  onReply?: ((reply: ModelReply, carried: CarriedTexts, turn: number) => void) | undefined;
  /** ASCII texts to look for in requests, besides the frames of messages. */
  wantedTexts?: (() => readonly string[]) | undefined;
  now: () => number;
  log: (event: string, data?: object) => void;
  /**
   * The environment whose HTTPS_PROXY, HTTP_PROXY, and NO_PROXY lead to the model, for Codex also ALL_PROXY; none by default.
   */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface ModelGateway {
  /**
   * For the agent instead of its model's address. It contains the gateway's secret, so it is not for logs.
   */
  readonly url: string;
  /** Ends the exchanges in progress; resolves once all of them are reported. */
  close(): Promise<void>;
}

const MiB = 1024 * 1024;
/** The upper bound for one body; the rest of a longer one is not reported. */
const maxBodyBytes = 12 * MiB;
const maxOpaqueBytes = MiB / 16;
/** Of all requests, and of all answers, that are in progress or not yet reported. */
const allRequests = 12 * MiB;
const allAnswers = 6 * MiB;
/** Before the other side does it: a request on a connection that is being closed would fail. */
const idleTimeoutMs = 4000;

/** @throws AgentError if the address of the model or of a proxy is not valid. */
export async function startModelGateway(options: ModelGatewayOptions): Promise<ModelGateway> {
  const { upstream, now, log } = options;
  const origin = modelAddress(upstream.url);
  // Each agent knows other variables (Codex those of curl).
  const proxyEnv = upstream.api === 'openai' ? withProxyForAll(options.env ?? {}) : options.env;
  const secret = Buffer.from(`/${randomBytes(24).toString('base64url')}`);
  const agent = agentFor(origin, { keepAlive: true, timeout: idleTimeoutMs, ...(proxyEnv && { proxyEnv }) });
  const requests: CopyBudget = { left: allRequests };
  const answers: CopyBudget = { left: allAnswers };
  let reading: Promise<unknown> = Promise.resolve();
  const reports = new Set<Promise<void>>();
  let flight = 0;

  /** Returns what follows the secret; null for a client that does not have it. */
  function pathOf(url: string): string | null {
    const given = Buffer.from(url).subarray(0, secret.length);
    if (given.length !== secret.length || !timingSafeEqual(given, secret)) return null;
    const rest = url.slice(secret.length);
    return rest === '' || /^[/?]/.test(rest) ? rest : null;
  }

  async function pass(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const method = request.method ?? 'GET';
    const kind = exchangeKindOf(method, path);
    const startedAt = now();
    const turn = options.turn?.() ?? 0;
    const maxBytes = kind === null ? maxOpaqueBytes : maxBodyBytes;
    const asked = createBodyCopy(maxBytes, requests);
    const answered = createBodyCopy(maxBytes, answers, kind !== null);
    const carried =
      kind === null
        ? null
        : readCarriedTexts(request.headers['content-encoding'], options.wantedTexts?.() ?? []);
    if (carried !== null) options.onFlight(++flight);
    const passed = await passThrough({
      request,
      response,
      origin,
      path: pathAt(origin, path),
      agent,
      onRequestBytes(chunk) {
        asked.add(chunk);
        carried?.add(chunk);
      },
      onResponseBytes: answered.add,
    });
    const endedAt = now();
    if (passed.failure !== null) log('model request failed', { reason: passed.failure });
    const seen: Seen = { request, path, passed, turn, startedAt, endedAt, asked, answered };
    try {
      if (kind === null || carried === null) options.onOpaque(await opaqueOf(seen));
      else {
        const texts = await carried.end();
        await inTurn(() => reportExchange(seen, kind, texts));
      }
    } catch (error) {
      log('model request not reported', { reason: reasonOf(error) });
    }
    if (carried !== null) options.onFlight(--flight);
  }

  /** One after the other, and what waits is passed on in between: what a body becomes is many times its size. */
  function inTurn(report: () => Promise<void>): Promise<void> {
    const reported = reading.then(report);
    reading = reported.catch(() => undefined).then(() => new Promise(setImmediate));
    return reported;
  }

  async function reportExchange(seen: Seen, kind: ExchangeKind, carried: CarriedTexts): Promise<void> {
    const { request, passed, startedAt, endedAt } = seen;
    const headers = headersByName(passed.answer?.rawHeaders ?? []);
    const asked = await jsonOf(seen.asked, request.headers['content-encoding']);
    const responseBody = await seen.answered.readText(oneOf(headers['content-encoding']));
    const event = readExchange({
      kind,
      provider: upstream.api,
      startedAt,
      endedAt,
      httpStatus: passed.answer?.status ?? null,
      contentType: oneOf(headers['content-type']) ?? null,
      request: asked.json,
      responseText: responseBody.text,
      isCut: asked.isCut || responseBody.isCut,
      failure: passed.failure,
    });
    options.onExchange(event);
    if (!carried.isConversation) return;
    const { isAbandoned } = passed;
    const reply = replyOf({ entry: event.entry, headers, responseText: responseBody.text, isAbandoned });
    if (reply !== null) options.onReply?.(reply, carried, seen.turn);
  }

  async function opaqueOf(seen: Seen): Promise<ActivityEvent> {
    const { request, passed, path, startedAt, endedAt } = seen;
    const responseHeaders = headersByName(passed.answer?.rawHeaders ?? []);
    return opaqueEvent({
      startedAt,
      endedAt,
      host: origin.host,
      method: request.method ?? 'GET',
      url: origin.origin + pathAt(origin, path),
      status: passed.answer?.status ?? null,
      requestHeaders: headersByName(request.rawHeaders),
      responseHeaders,
      requestBodyPreview: await previewOf(seen.asked, headersByName(request.rawHeaders)),
      responseBodyPreview: await previewOf(seen.answered, responseHeaders),
    });
  }

  const server = await listenOnLoopback((request, response) => {
    const path = pathOf(request.url ?? '');
    if (path === null) {
      response.writeHead(404, { connection: 'close' }).end();
      return;
    }
    const report = pass(request, response, path);
    reports.add(report);
    void report.finally(() => reports.delete(report));
  });

  return {
    url: `http://127.0.0.1:${server.port}${secret}`,
    async close() {
      await server.close();
      await Promise.all(reports);
      agent.destroy();
    },
  };
}

/**
 * @throws AgentError if the person's proxy is not an address; Node's own error would repeat it with its
 *   password.
 */
function agentFor({ protocol }: URL, options: AgentOptions): Agent {
  const { Agent } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  try {
    return new Agent(options);
  } catch {
    throw new AgentError(
      'HTTPS_PROXY or HTTP_PROXY is not the address of a proxy. Correct or unset it, and start again.',
    );
  }
}

/** Drops the text, which may be as large as what it means, before the answer is read. */
async function jsonOf(
  copy: BodyCopy,
  encoding: string | undefined,
): Promise<{ json: unknown; isCut: boolean }> {
  const { text, isCut } = await copy.readText(encoding);
  return { json: parsed(text), isCut };
}

interface Seen {
  request: IncomingMessage;
  path: string;
  passed: Passed;
  turn: number;
  startedAt: number;
  endedAt: number;
  asked: BodyCopy;
  answered: BodyCopy;
}
