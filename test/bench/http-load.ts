/** A load of requests on bare sockets. Each connection has one request in flight. */
import { connect } from 'node:net';

export interface HttpLoad {
  port: number;
  connections: number;
  /** The measured time, after the warm-up. */
  durationMs: number;
  warmUpMs: number;
  /** The whole request, headers and body. */
  request: string;
  /** The pause between an answer and the next request of a connection; none by default. */
  pauseMs?: number;
}

export interface HttpLoadResult {
  perSecond: number;
  /** If nothing was answered in the measured time, all of that time, which is then less than an answer took. */
  p50Ms: number;
  p99Ms: number;
}

const headEnd = Buffer.from('\r\n\r\n');

const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Returns the length of the first complete response in `data`; 0 if there is none yet. */
export function responseLength(data: Buffer): number {
  const head = data.indexOf(headEnd);
  if (head === -1) return 0;
  if (/transfer-encoding: chunked/i.test(data.toString('latin1', 0, head))) {
    const end = data.indexOf(lastChunk, head);
    return end === -1 ? 0 : end + lastChunk.length;
  }
  const length = /content-length: (\d+)/i.exec(data.toString('latin1', 0, head))?.[1];
  const whole = head + headEnd.length + Number(length ?? 0);
  return data.length >= whole ? whole : 0;
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0;

export async function runHttpLoad({
  port,
  connections,
  durationMs,
  warmUpMs,
  request,
  pauseMs = 0,
}: HttpLoad): Promise<HttpLoadResult> {
  const bytes = Buffer.from(request);
  const latencies: number[] = [];
  const start = performance.now() + warmUpMs;
  const end = start + durationMs;
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true);
      let sentAt = 0;
      let data: Buffer = Buffer.alloc(0);
      const send = () => {
        sentAt = performance.now();
        socket.write(bytes);
      };
      socket.on('connect', send).on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        data = data.length === 0 ? chunk : Buffer.concat([data, chunk]);
        const length = responseLength(data);
        if (length === 0) return;
        const now = performance.now();
        if (data.toString('latin1', 9, 10) !== '2') reject(new Error(data.toString('latin1', 0, 300)));
        if (sentAt >= start && now <= end) latencies.push(now - sentAt);
        data = data.subarray(length);
        if (now > end) {
          socket.destroy();
          resolve();
        } else if (pauseMs > 0) setTimeout(send, pauseMs);
        else send();
      });
    });
  await Promise.all(Array.from({ length: connections }, client));
  const perSecond = (latencies.length * 1000) / durationMs;
  if (latencies.length === 0) latencies.push(durationMs);
  latencies.sort((a, b) => a - b);
  return {
    perSecond,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
