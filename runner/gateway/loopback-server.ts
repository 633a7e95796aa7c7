/**
 * An HTTP server for programs of this machine only: on 127.0.0.1 and under no other name, so that no web page
 * reaches it.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export interface LoopbackServer {
  readonly server: Server;
  readonly port: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** `isForOthers`: requests name other hosts, as those to a proxy do. */
export async function listenOnLoopback(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { isForOthers = false } = {},
): Promise<LoopbackServer> {
  // A request may wait for a slow line behind the gateway for as long as it takes; its headers may not.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer({ maxHeaderSize: 64 * 1024, requestTimeout: 0, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
  const { port } = address;
  const names = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  server.on('request', (request, response) => {
    if (isForOthers || names.has(request.headers.host ?? '')) handle(request, response);
    else response.writeHead(403, { connection: 'close' }).end();
  });
  return {
    server,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
