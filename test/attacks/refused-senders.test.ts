/** Clients that go on sending after the broker has refused them (specification/api.md#connections). */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SecureBroker, startSecureBroker } from './secure-broker.ts';

let broker: SecureBroker;
beforeAll(async () => {
  broker = await startSecureBroker();
});
afterAll(() => broker.team.stop());

const block = Buffer.alloc(64 * 1024, ' ');
/** Less than a client may go on sending. */
const restBytes = 12 * 1024 * 1024;

interface Outcome {
  text: string;
  error: string | undefined;
}

/** Sends the head and the whole body before it reads anything, as a simple client does, and then reads to the end. */
function sendAll(socket: Socket, head: string, isChunked: boolean): Promise<Outcome> {
  return new Promise((resolve) => {
    let text = '';
    let error: string | undefined;
    let left = restBytes;
    function send(): void {
      if (left <= 0) {
        if (isChunked) socket.write('0\r\n\r\n');
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString('latin1');
        });
        return;
      }
      left -= block.length;
      if (isChunked) socket.write(`${block.length.toString(16)}\r\n`);
      socket.write(block, send);
      if (isChunked) socket.write('\r\n');
    }
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      error = failure.code;
    });
    socket.on('close', () => resolve({ text, error }));
    socket.write(head);
    send();
  });
}

const open = (transport: string): Socket => {
  const port = Number(new URL(transport === 'TLS' ? broker.secureUrl : broker.team.url).port);
  return transport === 'TLS'
    ? connectSecurely({ port, host: '127.0.0.1', ca: broker.authority })
    : connect(port, '127.0.0.1');
};

const refusals = [
  ['401', 'POST /push', () => 'Bearer svc_nobody', 'application/json'],
  ['413', 'POST /push', () => `Bearer ${broker.team.token('ada')}`, 'application/json'],
  ['413', 'POST /fs/write?path=/ada/f', () => `Bearer ${broker.team.token('ada')}`, 'text/plain'],
  ['415', 'POST /push', () => `Bearer ${broker.team.token('ada')}`, 'text/plain'],
] as const;

describe.each(['plain', 'TLS'])('a client over %s that sends a whole body before it reads', (transport) => {
  describe.each(['declared', 'chunked'])('with a %s length', (framing) => {
    it.each(refusals)('sees %s for %s', async (status, line, authorization, type) => {
      const isChunked = framing === 'chunked';
      const head = [
        `${line} HTTP/1.1`,
        'Host: 127.0.0.1',
        `Authorization: ${authorization()}`,
        `Content-Type: ${type}`,
        isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${restBytes}`,
        'Connection: close',
        '\r\n',
      ].join('\r\n');
      const { text, error } = await sendAll(open(transport), head, isChunked);
      expect(error).toBeUndefined();
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*"error":`));
    });
  });
});
