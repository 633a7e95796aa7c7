/** Streams that resume, one after another: each is closed when it has brought what was missed. */
import { connect, type Socket } from 'node:net';
import { benchToken } from './bench-broker.ts';
import { percentile } from './http-load.ts';
import type { Measurable, RequestsMeasured } from './measure-load.ts';

export interface ResumeLoad {
  member: string;
  token: string;
  /** How many of the newest messages were missed. */
  missed: number;
  warmUpMs: number;
  durationMs: number;
}

const cursorPattern = /"cursor":"(\w+)-(\d+)"/;

/** Reads what answers `request` until `isComplete`, and closes the connection. Returns the text. */
function exchange(port: number, request: string, isComplete: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setEncoding('latin1').on('error', reject);
    socket.on('close', () => reject(new Error(`the stream ended with: ${text.slice(0, 300)}`)));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (!isComplete(text)) return;
      resolve(text);
      socket.destroy();
    });
  });
}

export async function measureResumes(
  server: Measurable,
  { member, token, missed, warmUpMs, durationMs }: ResumeLoad,
): Promise<RequestsMeasured> {
  const { port } = server;
  const opening = (credential: string, line: string, headers = ''): string =>
    `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${credential}\r\n${headers}\r\n`;
  const subscribe = `GET /subscribe?name=${member}`;
  // The newest message is for everybody, so that each stream ends with it.
  const body = JSON.stringify({ body: 'the newest message' });
  const json = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  await exchange(port, opening(benchToken, 'POST /push', json) + body, (text) => text.includes('the newest'));
  const ready = await exchange(port, opening(token, subscribe), (text) => cursorPattern.test(text));
  const [, store = '', newest = ''] = cursorPattern.exec(ready) ?? [];
  const request = opening(token, subscribe, `last-event-id: ${store}-${Number(newest) - missed}\r\n`);
  const last = `id: ${store}-${newest}\n`;
  const isComplete = (text: string): boolean => {
    const at = text.lastIndexOf(last);
    return at !== -1 && text.includes('\n\n', at);
  };

  const begin = performance.now() + warmUpMs;
  let cpuBefore = server.cpuSeconds();
  const latencies: number[] = [];
  let bytes = 0;
  for (let startedAt = performance.now(); startedAt < begin + durationMs; startedAt = performance.now()) {
    if (latencies.length === 0) cpuBefore = server.cpuSeconds();
    ({ length: bytes } = await exchange(port, request, isComplete));
    if (startedAt >= begin) latencies.push(performance.now() - startedAt);
  }
  const cpuSeconds = server.cpuSeconds() - cpuBefore;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: (latencies.length * 1000) / durationMs,
    perCpuSecond: latencies.length / cpuSeconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    bytes,
  };
}
