/** A real run with a small agent and its bridge, a scripted model, and the memory of both processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { startTestBroker, type TestBroker } from '../../../broker/testing/test-broker.ts';
import { bodyOf, startUpstream } from '../../../runner/gateway/testing/upstream.ts';
import { longRequest } from './long-bodies.ts';

const svc = fileURLToPath(new URL('../../../bin/muster', import.meta.url));
const small = fileURLToPath(new URL('../../../runner/agents/codex/testing/small-codex.ts', import.meta.url));
const Config = z.object({
  mcp_servers: z.object({ svc: z.object({ env: z.record(z.string(), z.string()) }) }),
  model_providers: z.object({ svc_gateway: z.object({ base_url: z.string() }) }),
});

/** Resident memory in MiB; pages that processes share are divided among them. */
export interface Memory {
  runner: number;
  bridge: number;
}

export interface MeasuredRun {
  team: TestBroker;
  memory(): Memory;
  /** Sends one request of the agent's conversation to its model; resolves with the bytes of the answer. */
  exchange(body: Buffer): Promise<number>;
  /** The exit code of the runner, or its signal; null while it runs. */
  readonly ended: number | string | null;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Linux only. */
function pssOf({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
}

/** `answer`: the stream that the model answers each request with. `command`: the script of `muster`. */
export async function startMeasuredRun(answer: Buffer, command = svc): Promise<MeasuredRun> {
  const parts = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), 'muster-memory-'));
  parts.defer(() => rmSync(home, { recursive: true }));
  const team = await startTestBroker();
  parts.defer(() => team.stop());
  const model = await startUpstream(async (asked, response) => {
    await bodyOf(asked);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    piecesOf(answer).pipe(response);
  });
  parts.defer(() => model.close());
  for (const name of ['bin', '.codex', 'work']) mkdirSync(join(home, name));
  writeFileSync(join(home, '.codex/auth.json'), '{"OPENAI_API_KEY":"sk-made-up"}');
  writeFileSync(join(home, 'bin/codex'), `#!/bin/sh\nexec '${process.execPath}' '${small}' "$@"\n`);
  chmodSync(join(home, 'bin/codex'), 0o755);
  const record = join(home, 'record');
  writeFileSync(record, '');
  const base = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home };
  const env = { ...base, RECORD: record, SVC_URL: team.url, SVC_TOKEN: team.token('ben') };
  const args = ['run', 'codex', '--headless', '--model-url', model.url, '--cwd', join(home, 'work')];
  const runner = started(parts, [command, ...args], env);
  await until(() => readFileSync(record, 'utf8').includes('thread/start'));
  const runs = join(home, '.cache/svc/runs');
  const own = readdirSync(runs).find((name) => name.startsWith('codex-')) ?? '';
  const config = Config.parse(parse(readFileSync(join(runs, own, 'config.toml'), 'utf8')));
  const bridge = started(parts, [command, 'mcp-bridge'], { ...base, ...config.mcp_servers.svc.env });
  await listTools(bridge);
  const address = `${config.model_providers.svc_gateway.base_url}/responses`;
  return {
    team,
    memory: () => ({ runner: pssOf(runner), bridge: pssOf(bridge) }),
    exchange: (body) => post(address, body),
    get ended() {
      return runner.exitCode ?? runner.signalCode;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function started(parts: AsyncDisposableStack, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout?.resume();
  parts.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  });
  return child;
}

async function until(isSo: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !isSo(); await pause(20))
    if (Date.now() > deadline) throw new Error('the agent did not start');
}

/** Lists the tools, as an agent does at the start; afterwards, both processes have loaded what they need. */
async function listTools(bridge: ChildProcess): Promise<void> {
  const clientInfo = { name: 'small', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  let text = '';
  bridge.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  const lines = [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ];
  for (const line of lines) bridge.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
  await until(() => text.split('\n').length > 2);
  bridge.stdout?.removeAllListeners('data').resume();
}

function piecesOf(answer: Buffer): Readable {
  const count = Math.ceil(answer.length / 16_384);
  return Readable.from(
    Array.from({ length: count }, (_, n) => answer.subarray(n * 16_384, (n + 1) * 16_384)),
  );
}

function post(address: string, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const asking = request(address, { method: 'POST', headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.once('end', () => resolve(bytes)).once('error', reject);
    });
    asking.once('error', reject).end(body);
  });
}

export interface Load {
  perSecond: number;
  seconds: number;
  /** The bytes of a request. */
  bytes: number;
}

export interface Peak {
  /** Runner and bridge together, in MiB. */
  atRest: number;
  underLoad: number;
  answers: number;
  /** Of a request and its whole answer, in milliseconds. */
  medianMs: number;
}

/** Sends requests at this rate, whether or not earlier ones are answered. Resolves when all are. */
export async function measuredPeak(run: MeasuredRun, { perSecond, seconds, bytes }: Load): Promise<Peak> {
  const together = (): number => {
    const { runner, bridge } = run.memory();
    return runner + bridge;
  };
  const atRest = together();
  let underLoad = 0;
  const look = setInterval(() => {
    underLoad = Math.max(underLoad, together());
  }, 50);
  const times: number[] = [];
  const body = longRequest(bytes);
  const beganAt = performance.now();
  async function exchange(nth: number): Promise<void> {
    await pause(Math.max(0, beganAt + (nth * 1000) / perSecond - performance.now()));
    const sentAt = performance.now();
    await run.exchange(body);
    times.push(performance.now() - sentAt);
  }
  try {
    await Promise.all(Array.from({ length: perSecond * seconds }, (_, nth) => exchange(nth)));
  } finally {
    clearInterval(look);
  }
  times.sort((a, b) => a - b);
  return { atRest, underLoad, answers: times.length, medianMs: times[times.length >> 1] ?? Number.NaN };
}
