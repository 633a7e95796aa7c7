/** The typed client over the broker in this process, with a credential that the page never has. */
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { BrokerHost } from './broker-host.ts';
import type { SessionJar } from './session-jar.ts';

/** As the member who is logged in at this desktop. */
export const sessionClient = (host: BrokerHost, jar: SessionJar): BrokerClient =>
  clientWith(host, jar.headers, (cookies) => jar.take(cookies));

/** With these headers, and nothing else. */
export function clientWith(
  host: BrokerHost,
  credential: () => Record<string, string>,
  onCookies: (cookies: string | string[] | undefined) => void = () => undefined,
): BrokerClient {
  return createClient(async (request) => {
    const reply = await host.request({ ...request, headers: { ...request.headers, ...credential() } });
    onCookies(reply.setCookie);
    return {
      status: reply.status,
      headers: { get: (name: string) => reply.headers[name] ?? null },
      text: async () => reply.body.toString('utf8'),
    };
  });
}
