/** A gateway to a model on loopback, with the events, replies, and log entries that it reports. */
import { type IncomingMessage, type RequestListener, request as requestHttp } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { ActivityEvent } from '#protocol/activity.ts';
import type { CarriedTexts } from '../carried-texts.ts';
import { startModelGateway } from '../model-gateway.ts';
import type { ModelReply } from '../model-reply.rules.ts';
import { startUpstream } from './upstream.ts';

/** A key of the model's service, which no report may contain. */
export const key = `sk-ant-api03-${'aB3'.repeat(12)}`;
/** A request of the agent's conversation. */
export const question = JSON.stringify({ model: 'claude-x', messages: [{ role: 'user', content: 'hello' }] });

/** Starts a gateway to the model at the address, until the test ends, and collects what it reports. */
export async function gatewayTo(
  url: string,
  api: 'anthropic' | 'openai' = 'anthropic',
  env: Record<string, string> = {},
) {
  const events: ActivityEvent[] = [];
  const flights: number[] = [];
  const logged: string[] = [];
  const replies: { reply: ModelReply; carried: CarriedTexts }[] = [];
  const take = (event: ActivityEvent): void => {
    expect(ActivityEvent.parse(event)).toEqual(event);
    expect(JSON.stringify(event)).not.toContain(key);
    events.push(event);
  };
  const gateway = await startModelGateway({
    upstream: { url, api },
    onExchange: take,
    onOpaque: take,
    onFlight: (count) => flights.push(count),
    onReply: (reply, carried) => replies.push({ reply, carried }),
    wantedTexts: () => ['2026-11-22T10:00:00.000Z ada'],
    now: Date.now,
    log: (event, data) => logged.push(JSON.stringify({ event, ...data })),
    env,
  });
  onTestFinished(() => gateway.close());
  const next = async (count = 1): Promise<ActivityEvent> => {
    await expect.poll(() => events).toHaveLength(count);
    const event = events[count - 1];
    if (event === undefined) throw new Error(`There is no event ${count}.`);
    return event;
  };
  return { gateway, events, flights, replies, logged, next };
}

/** Starts a server in the place of the model, and a gateway to it. */
export async function gatewayBefore(handle: RequestListener) {
  const upstream = await startUpstream(handle);
  onTestFinished(() => upstream.close());
  return { upstream, ...(await gatewayTo(upstream.url)) };
}

/** Sends a request exactly as it is; `fetch` would add headers. */
export function ask(
  url: string,
  options: { method?: string; headers?: string[] | Record<string, string>; body?: Buffer | string },
) {
  const { body, method = 'POST', headers = {} } = options;
  const { hostname, port, pathname, search } = new URL(url);
  const request = requestHttp({ hostname, port, path: pathname + search, method, headers });
  request.end(body);
  return new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
}
