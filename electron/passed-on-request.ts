/** A request of this app at a machine that stands by: its listener passes it on to the active broker. */
import type { HostReply, HostRequest } from './broker-host.ts';

/** No operation with one reply takes as long. */
const limitMs = 60_000;
/** Those of the connection, which say nothing about the body that was read. */
const dropped = new Set(['set-cookie', 'transfer-encoding', 'connection', 'keep-alive']);

/** @throws Error if the listener does not answer. */
export async function passedOnRequest(address: string, request: HostRequest): Promise<HostReply> {
  const { method, url, headers, body } = request;
  const reply = await fetch(address + url, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
    ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  return {
    status: reply.status,
    headers: Object.fromEntries([...reply.headers].filter(([name]) => !dropped.has(name))),
    setCookie: reply.headers.getSetCookie(),
    body: Buffer.from(await reply.arrayBuffer()),
  };
}
