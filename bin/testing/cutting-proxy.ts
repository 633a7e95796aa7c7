/** A proxy to the broker that can break or stall after so many bytes of a reply's body. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CuttingProxy {
  url: string;
  /** The requests that arrived, newest last. */
  seen: { url: string; range: string | undefined }[];
  /** The fault in the next reply that is long enough; null for none. */
  fault: { after: number; kind: 'break' | 'stall' } | null;
  /** Resolves when a reply has stalled. */
  stalled: Promise<void>;
  close(): Promise<void>;
}

export async function startCuttingProxy(brokerUrl: string): Promise<CuttingProxy> {
  const { promise: stalled, resolve: sayStalled } = Promise.withResolvers<void>();
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    proxy.seen.push({ url, range: headers.range });
    const onward = request(brokerUrl + url, {
      method,
      headers: { ...headers, host: new URL(brokerUrl).host },
    });
    incoming.pipe(onward);
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.on('response', (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      const { fault } = proxy;
      if (fault === null || Number(reply.headers['content-length']) <= fault.after) {
        reply.pipe(outgoing);
        return;
      }
      proxy.fault = null;
      let left = fault.after;
      reply.on('data', (chunk: Buffer) => {
        if (left === 0) return;
        const part = chunk.subarray(0, left);
        left -= part.length;
        outgoing.write(part, () => {
          if (left > 0) return;
          if (fault.kind === 'break') outgoing.destroy();
          else sayStalled();
        });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    fault: null,
    stalled,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
