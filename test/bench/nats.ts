/** The same fan-out through NATS core, if its server is installed: a yardstick that stores nothing. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { freePort } from '../../broker/testing/free-port.ts';

const lastMark = 'the-last-message';

export interface NatsServer {
  port: number;
  stop: () => Promise<void>;
}

/** Returns null if nats-server is not installed. `command` places it on its core. */
export async function startNats(command: readonly string[]): Promise<NatsServer | null> {
  const port = await freePort();
  const args = ['nats-server', '-a', '127.0.0.1', '-p', String(port)];
  const [program = '', ...rest] = [...command, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  const started = await new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false)).on('exit', () => resolve(false));
    child.stderr.on('data', (chunk) => String(chunk).includes('Server is ready') && resolve(true));
  });
  if (!started) return null;
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function open(port: number, hello: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`CONNECT {"verbose":false,"pedantic":false}\r\n${hello}PING\r\n`);
  for await (const chunk of socket.iterator({ destroyOnReturn: false }))
    if (String(chunk).includes('PONG')) break;
  return socket;
}

export interface NatsLoad {
  port: number;
  streams: number;
  messages: number;
  bytes: number;
}

/** Publishes without waiting. Returns frames per second until every subscriber has the last message. */
export async function runNatsLoad({
  port,
  streams,
  messages,
  bytes,
}: NatsLoad): Promise<{ framesPerSecond: number }> {
  const sockets: Socket[] = [];
  for (let n = 0; n < streams; n++) sockets.push(await open(port, 'SUB all 1\r\n'));
  const complete = Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          let end: Buffer = Buffer.alloc(0);
          socket.on('data', (chunk: Buffer) => {
            if (
              chunk.includes(lastMark) ||
              Buffer.concat([end, chunk.subarray(0, lastMark.length)]).includes(lastMark)
            )
              resolve();
            if (chunk.includes('PING\r\n')) socket.write('PONG\r\n');
            end = chunk.subarray(-lastMark.length);
          });
          socket.resume();
        }),
    ),
  );
  const publisher = await open(port, '');
  publisher.resume();
  const message = `PUB all ${bytes}\r\n${'x'.repeat(bytes)}\r\n`;
  const start = performance.now();
  for (let n = 0; n < messages; n++) {
    if (!publisher.write(message)) await once(publisher, 'drain');
  }
  publisher.write(`PUB all ${lastMark.length}\r\n${lastMark}\r\n`);
  await complete;
  const seconds = (performance.now() - start) / 1000;
  for (const socket of [...sockets, publisher]) socket.destroy();
  return { framesPerSecond: ((messages + 1) * streams) / seconds };
}
