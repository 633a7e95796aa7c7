/**
 * Compares this checkout with another version of it: both run under one load program and take turns, so that a noisy machine
 * disturbs both. Only the ratio within a turn counts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { activityPostOf } from './activity-batch.ts';
import { benchToken, otherToken, startBenchBroker } from './bench-broker.ts';
import { stamp } from './load-program.ts';
import { loadGenerator, measureFrames, measureRequests } from './measure-load.ts';
import { checkOutVersion } from './other-version.ts';
import type { Server } from './processes.ts';
import { type Better, ratiosOf, type Turn } from './ratios.ts';
import { machine, table, watchMachineLoad } from './report.ts';
import { measureResumes } from './resume-load.ts';

const head = `HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${benchToken}\r\n`;
const post = (path: string, body: string): string =>
  `POST ${path} ${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const push = post('/push', JSON.stringify({ body: `message ${'x'.repeat(80)}`, level: 'info' }));
const stampedPush = post('/push', JSON.stringify({ body: `${stamp} ${'x'.repeat(80)}`, level: 'info' }));

export const figures: Record<string, Better> = {
  'push per CPU second, 64 connections': 'higher',
  'push per CPU second, 1 connection': 'higher',
  'history pages of 50 per CPU second': 'higher',
  'frames per CPU second, 1,000 streams': 'higher',
  'streams that resume 100 messages, per CPU second': 'higher',
  'activity batches of 100 per CPU second': 'higher',
  'start ms': 'lower',
  'idle memory MiB': 'lower',
};

/** Until what only the start needs is collected. */
const settleMs = 5000;

async function measure(folder: string, command: string, durationMs: number): Promise<Turn> {
  const turn: Turn = {};
  const begun = performance.now();
  const server: Server = await startBenchBroker(folder, [], command);
  turn['start ms'] = performance.now() - begun;
  try {
    await pause(settleMs);
    turn['idle memory MiB'] = server.residentBytes() / 2 ** 20;
    const load = { durationMs, warmUpMs: durationMs };
    const requests = async (figure: string, request: string, connections: number) => {
      turn[figure] = (await measureRequests(server, { ...load, request, connections })).perCpuSecond;
    };
    await requests('push per CPU second, 64 connections', push, 64);
    await requests('push per CPU second, 1 connection', push, 1);
    await requests('history pages of 50 per CPU second', `GET /history?limit=50 ${head}\r\n`, 8);
    await requests('activity batches of 100 per CPU second', activityPostOf(100), 2);
    const resume = { member: 'other', token: otherToken, missed: 100, ...load };
    turn['streams that resume 100 messages, per CPU second'] = (
      await measureResumes(server, resume)
    ).perCpuSecond;
    const frames = await measureFrames(server, {
      ...load,
      protocol: 'http',
      request: stampedPush,
      opening: `GET /subscribe?name=bench ${head}\r\n`,
      opened: 'event: ready',
      streams: 1000,
      connections: 1,
    });
    if (frames !== null) turn['frames per CPU second, 1,000 streams'] = frames.framesPerCpuSecond;
    return turn;
  } finally {
    await server.stop();
  }
}

export async function runAgainst({ commit: revision, isQuick }: { commit: string; isQuick: boolean }) {
  // An odd number, so that one of the turns is the median.
  const rounds = isQuick ? 3 : 7;
  const durationMs = isQuick ? 1000 : 3000;
  console.error(`Checking out and installing ${revision}. This takes about a minute.`);
  const other = checkOutVersion(revision);
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const machineLoad = watchMachineLoad();
  const turns: { here: Turn; there: Turn }[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      console.error(`turn ${round} of ${rounds}`);
      const here = () => measure(join(folder, `here-${round}`), '../../bin/muster', durationMs);
      const there = () => measure(join(folder, `there-${round}`), other.command, durationMs);
      // Each of them goes first in half of the turns.
      const first = round % 2 === 0 ? await here() : await there();
      const second = round % 2 === 0 ? await there() : await here();
      turns.push(round % 2 === 0 ? { here: first, there: second } : { here: second, there: first });
    }
  } finally {
    other.remove();
    rmSync(folder, { recursive: true });
  }
  const rows = ratiosOf(figures, turns);
  console.log(`This checkout / ${other.commit}, ${rounds} turns. Machine: ${machine()}.
${machineLoad()} The load of requests came from ${loadGenerator()}.

${table(['Figure', 'Ratio', 'Range', 'Better'], rows)}`);
}
