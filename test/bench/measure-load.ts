/** Puts a load on a server and measures both sides: replies and frames, and the server's time on its processor. */

import type { HttpLoadResult } from './http-load.ts';
import {
  type LoadResult,
  loadProgram,
  type RequestLoad,
  runLoadProgram,
  type StreamLoad,
} from './load-program.ts';
import { loadCores, onLoadCores, runLoad, type Server } from './processes.ts';

/** The parts of a server that are measured. */
export type Measurable = Pick<Server, 'port' | 'cpuSeconds'>;

export interface RequestsMeasured {
  perSecond: number;
  /** Replies per second of the server's user and system time. */
  perCpuSecond: number;
  /** Infinite if nothing was answered in the measured time. */
  p50Ms: number;
  p99Ms: number;
  /** Bytes of one reply, with its head; null if it was not counted. */
  bytes: number | null;
}

export interface FramesMeasured {
  framesPerSecond: number;
  framesPerCpuSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** @throws Error if a reply was not a success. */
export async function measureRequests(
  server: Measurable,
  load: Omit<RequestLoad, 'port'>,
): Promise<RequestsMeasured> {
  const program = loadProgram();
  if (program === null) return requestsOfNode(server, load);
  const { result, cpuSeconds } = await run(program, server, { ...load, port: server.port });
  const seconds = load.durationMs / 1000;
  const isAnswered = result.perSecond > 0;
  return {
    perSecond: result.perSecond,
    perCpuSecond: (result.perSecond * seconds) / cpuSeconds,
    p50Ms: isAnswered ? result.reply.p50Us / 1000 : Number.POSITIVE_INFINITY,
    p99Ms: isAnswered ? result.reply.p99Us / 1000 : Number.POSITIVE_INFINITY,
    bytes: result.bytes,
  };
}

/** Returns null if there is no compiler for the program that receives the frames. */
export async function measureFrames(
  server: Measurable,
  load: Omit<StreamLoad, 'port'>,
): Promise<FramesMeasured | null> {
  const program = loadProgram();
  if (program === null) return null;
  const { result, cpuSeconds } = await run(program, server, { ...load, port: server.port });
  const seconds = load.durationMs / 1000;
  return {
    framesPerSecond: result.framesPerSecond,
    framesPerCpuSecond: (result.framesPerSecond * seconds) / cpuSeconds,
    p50Ms: result.frame.p50Us / 1000,
    p99Ms: result.frame.p99Us / 1000,
  };
}

async function run(
  program: string,
  server: Measurable,
  load: RequestLoad | StreamLoad,
): Promise<{ result: LoadResult; cpuSeconds: number }> {
  let before = Number.NaN;
  const onMeasuring = (): void => {
    before = server.cpuSeconds();
  };
  const result = await runLoadProgram(program, load, { prefix: onLoadCores, onMeasuring });
  const cpuSeconds = server.cpuSeconds() - before;
  if (result.failed > 0) throw new Error(`${result.failed} requests were refused`);
  return { result, cpuSeconds };
}

/** The median of the processes, and the worst 99th percentile of them. */
async function requestsOfNode(
  server: Measurable,
  { connections, rate, ...load }: Omit<RequestLoad, 'port'>,
): Promise<RequestsMeasured> {
  if (rate !== undefined) throw new Error('a load at a fixed rate needs a C compiler');
  const processes = Math.min(connections, Math.max(2, loadCores));
  const before = server.cpuSeconds();
  const results = await Promise.all(
    Array.from({ length: processes }, () =>
      runLoad<HttpLoadResult>({
        kind: 'http',
        ...load,
        port: server.port,
        connections: Math.ceil(connections / processes),
      }),
    ),
  );
  const perSecond = results.reduce((sum, one) => sum + one.perSecond, 0);
  const seconds = (load.warmUpMs + load.durationMs) / 1000;
  const p50s = results.map(({ p50Ms }) => p50Ms).sort((a, b) => a - b);
  return {
    perSecond,
    perCpuSecond: (perSecond * seconds) / (server.cpuSeconds() - before),
    p50Ms: p50s[p50s.length >> 1] ?? Number.NaN,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    bytes: null,
  };
}

/** Describes the source of the load, for a report. */
export const loadGenerator = (): string =>
  loadProgram() === null
    ? `${Math.max(2, loadCores)} Node processes, because there is no C compiler`
    : 'a program in C (test/bench/load.c)';
