/** The typed client of the broker in this process, with a credential that the page never has. */
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { BrokerHost } from './broker-host.ts';
import type { SessionExchange, SessionJar } from './session-jar.ts';

/** Acts as the member who is logged in at this desktop. */
export const sessionClient = (host: BrokerHost, jar: SessionJar): BrokerClient =>
  clientOf(host, jar.exchange);

/** Sends these headers and nothing else. */
export const clientWith = (host: BrokerHost, credential: () => Record<string, string>): BrokerClient =>
  clientOf(host, () => ({ headers: credential(), keepCookie: () => undefined }));

function clientOf(host: BrokerHost, exchange: () => SessionExchange): BrokerClient {
  return createClient(async (request) => {
    const { headers, keepCookie } = exchange();
    const reply = await host.request({ ...request, headers: { ...request.headers, ...headers } });
    keepCookie(reply.setCookie);
    return {
      status: reply.status,
      headers: { get: (name: string) => reply.headers[name] ?? null },
      text: async () => reply.body.toString('utf8'),
    };
  });
}
