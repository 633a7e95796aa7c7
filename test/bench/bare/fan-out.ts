/**
 * Baseline: on each request, writes one pre-chunked frame to every open socket in a loop and answers the
 * request. It stores nothing.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const streams: Socket[] = [];
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    response.socket?.write('b\r\nevent: open\r\n');
    if (response.socket) streams.push(response.socket);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const frame = `id: 12345678-123456\nevent: message\ndata: ${Buffer.concat(chunks)}\n\n`;
    const chunk = Buffer.from(`${Buffer.byteLength(frame).toString(16)}\r\n${frame}\r\n`);
    for (const socket of streams) socket.write(chunk);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
