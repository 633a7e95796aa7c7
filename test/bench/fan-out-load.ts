/** A load of streams: opens them, sends messages, and waits until every stream has received the last one. */
import { connect, type Socket } from 'node:net';
import { percentile, responseLength } from './http-load.ts';

export interface FanOutLoad {
  port: number;
  streams: number;
  /** The bytes that open one stream. */
  opening: string;
  /** The text that a stream sends once it is open. */
  opened: string;
  /**
   * How messages are sent: HTTP requests in which `{n}` is replaced, one at a time on each of `connections`.
   */
  request: string;
  connections: number;
  messages: number;
  /** The pause between messages in ms. With 0, the next one is sent when the previous one is answered. */
  everyMs?: number;
}

export interface FanOutResult {
  framesPerSecond: number;
  /** From sending a message to its frame at one stream; only with `everyMs`. */
  p50Ms: number;
  p99Ms: number;
}

/** Returns the sockets of all streams, open and waiting. */
export async function openStreams({
  port,
  streams,
  opening,
  opened,
}: Pick<FanOutLoad, 'port' | 'streams' | 'opening' | 'opened'>): Promise<Socket[]> {
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => socket.write(opening)).on('error', reject);
      socket.on('data', function onData(chunk: Buffer) {
        if (!chunk.includes(opened)) return;
        socket.off('data', onData);
        resolve(socket);
      });
    });
  const sockets: Socket[] = [];
  for (let n = 0; n < streams; n += 50)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, streams - n) }, open))));
  return sockets;
}

function sender(port: number, request: string): Promise<(n: string) => Promise<void>> {
  return new Promise((resolve, reject) => {
    let answered: (() => void) | undefined;
    let data: Buffer = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    socket.on('error', reject).on('data', (chunk: Buffer) => {
      data = Buffer.concat([data, chunk]);
      const length = responseLength(data);
      if (length === 0) return;
      if (data.toString('latin1', 9, 10) !== '2') reject(new Error(data.toString()));
      data = data.subarray(length);
      answered?.();
    });
    const send = (n: string) =>
      new Promise<void>((done) => {
        answered = done;
        const body = request.slice(request.indexOf('\r\n\r\n') + 4).replace('{n}', n);
        socket.write(
          request
            .slice(0, request.indexOf('\r\n\r\n') + 4)
            .replace('{length}', String(Buffer.byteLength(body))) + body,
        );
      });
    socket.on('connect', () => resolve(send));
  });
}

/** Runs the load twice, the first time to let the server's code be compiled, and reports the second run. */
export async function runFanOut(load: FanOutLoad): Promise<FanOutResult> {
  const sockets = await openStreams(load);
  const senders = await Promise.all(
    Array.from({ length: load.connections }, () => sender(load.port, load.request)),
  );
  await runOnce(load, sockets, senders, 'warm-up-is-over');
  const result = await runOnce(load, sockets, senders, 'the-last-message');
  for (const socket of sockets) socket.destroy();
  return result;
}

/** Resolves when `mark` has arrived. The end of a chunk may split it. */
function markReceived(socket: Socket, mark: string, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    let end: Buffer = Buffer.alloc(0);
    socket.on('data', function onData(chunk: Buffer) {
      onChunk(chunk);
      if (chunk.includes(mark) || Buffer.concat([end, chunk.subarray(0, mark.length)]).includes(mark)) {
        socket.off('data', onData);
        resolve();
      }
      end = chunk.subarray(-mark.length);
    });
    socket.resume();
  });
}

async function runOnce(
  { messages, streams, everyMs }: FanOutLoad,
  sockets: readonly Socket[],
  senders: readonly ((n: string) => Promise<void>)[],
  mark: string,
): Promise<FanOutResult> {
  const latencies: number[] = [];
  const sentAt = new Map<string, number>();
  const measure = (chunk: Buffer) => {
    for (const [, n = ''] of chunk.toString('latin1').matchAll(/message-(\d+)!/g))
      latencies.push(performance.now() - (sentAt.get(n) ?? 0));
  };
  const complete = sockets.map((socket, index) =>
    markReceived(socket, mark, everyMs !== undefined && index === 0 ? measure : () => undefined),
  );
  const start = performance.now();
  let next = 0;
  await Promise.all(
    senders.map(async (send) => {
      while (next < messages) {
        next += 1;
        const n = String(next);
        if (everyMs !== undefined) {
          const due = start + next * everyMs;
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
        }
        sentAt.set(n, performance.now());
        await send(`message-${n}!`);
      }
    }),
  );
  await senders[0]?.(mark);
  await Promise.all(complete);
  const seconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    framesPerSecond: ((messages + 1) * streams) / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
