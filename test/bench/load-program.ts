/**
 * The load generator in C (load.c), which is not the limit of what it measures. It is built when a compiler is there; otherwise,
 * several Node processes make the load of requests, and there is no load of streams.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Requests on kept connections, one at a time on each. */
export interface RequestLoad {
  port: number;
  connections: number;
  warmUpMs: number;
  durationMs: number;
  /** The whole request. `stamp` in it is replaced by the time at which it is sent, of the same length. */
  request: string;
  /** Requests per second all in all; without it, each connection sends the next one when it has the reply. */
  rate?: number;
}

/** Streams that receive what the requests publish, through HTTP or NATS. */
export interface StreamLoad extends RequestLoad {
  protocol: 'http' | 'nats';
  streams: number;
  /** The text that opens a stream, and the server's reply when it is open. */
  opening: string;
  opened: string;
  /** The text that opens a publishing connection, and the reply; nothing for HTTP. */
  greeting?: string;
  greeted?: string;
}

/** Microseconds. With a rate, from when a request was due. */
export interface Latency {
  p50Us: number;
  p99Us: number;
  p999Us: number;
  maxUs: number;
}

export interface LoadResult {
  /** Successful replies. */
  perSecond: number;
  /** Replies of other kinds than 2xx. */
  failed: number;
  /** Bytes of one reply, with its head. */
  bytes: number;
  reply: Latency;
  framesPerSecond: number;
  /** From when a message was due to be sent until a stream had it. */
  frame: Latency;
}

/** In a request, and so in the frames that it causes. */
export const stamp = '@@T0000000000000000';

/** Arguments and standard input of the program. */
function loadProgramInput(load: RequestLoad | StreamLoad): { args: string[]; input: Buffer } {
  const streams = 'streams' in load ? load : null;
  const texts = [load.request, streams?.greeting ?? '', streams?.opening ?? ''].map((text) =>
    Buffer.from(text),
  );
  const args = [
    streams?.protocol ?? 'http',
    load.port,
    load.connections,
    streams?.streams ?? 0,
    load.warmUpMs,
    load.durationMs,
    load.rate ?? 0,
    streams?.greeted ?? '',
    streams?.opened ?? '',
    ...texts.map(({ length }) => length),
  ].map(String);
  return { args, input: Buffer.concat(texts) };
}

let built: string | null | undefined;

/** Builds the program once. Returns its path, and null if there is no compiler for it. */
export function loadProgram(): string | null {
  if (built !== undefined) return built;
  const folder = mkdtempSync(join(tmpdir(), 'muster-load-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'load');
  const source = fileURLToPath(new URL('load.c', import.meta.url));
  const { status } = spawnSync('cc', ['-O2', '-o', program, source], { stdio: 'ignore' });
  built = status === 0 ? program : null;
  return built;
}

/** Runs the program. `onMeasuring` is called when the warm-up is over. */
export async function runLoadProgram(
  program: string,
  load: RequestLoad | StreamLoad,
  options: { prefix?: readonly string[]; onMeasuring?: () => void } = {},
): Promise<LoadResult> {
  const { args, input } = loadProgramInput(load);
  const [command = program, ...rest] = [...(options.prefix ?? []), program, ...args];
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  // A program that ends early leaves no result, and that is what is reported.
  child.stdin.on('error', () => undefined).end(input);
  let result: LoadResult | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'measuring') options.onMeasuring?.();
    else result = JSON.parse(line);
  }
  if (result === undefined) throw new Error('the load ended without a result');
  return result;
}
