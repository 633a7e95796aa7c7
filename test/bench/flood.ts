/** Measures what one member's requests cost another one, while a flood of requests lasts (ADR 0028, ADR 0038). */
import { benchToken, otherToken } from './bench-broker.ts';
import type { HttpLoadResult } from './http-load.ts';
import { keepServerCoreBusy, runLoad, type Server } from './processes.ts';
import type { Row } from './report.ts';

const request = (token: string, line: string, body = ''): string =>
  `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const post = (token: string, word: string): string =>
  request(token, 'POST /push', JSON.stringify({ body: `${word} ${'x'.repeat(80)}` }));

const floods = {
  push: post(benchToken, 'flood'),
  history: request(benchToken, 'GET /history?limit=500'),
  search: request(benchToken, 'GET /search?q=flood'),
  ls: request(benchToken, 'GET /fs/ls?path=/'),
};
const floodNames = Object.keys(floods) as (keyof typeof floods)[];

/** The requests that a member makes now and then meanwhile. */
const quiets = {
  push: post(otherToken, 'quiet'),
  history: request(otherToken, 'GET /history'),
};
const quietNames = Object.keys(quiets) as (keyof typeof quiets)[];

const connections = 64;
const warmUpMs = 1000;

export interface FloodBenchDeps {
  isQuick: boolean;
  sample: (name: string, value: number) => void;
}

export function createFloodBench({ isQuick, sample }: FloodBenchDeps) {
  const durationMs = isQuick ? 1500 : 3000;

  const flood = ({ port }: Server, name: keyof typeof floods): Promise<HttpLoadResult> =>
    runLoad<HttpLoadResult>({
      kind: 'http',
      port,
      connections,
      durationMs: durationMs + warmUpMs + 1000,
      warmUpMs: 0,
      request: floods[name],
    });

  async function p99(server: Server, name: keyof typeof quiets): Promise<number> {
    const { port } = server;
    const load = { kind: 'http', port, connections: 1, durationMs, warmUpMs, pauseMs: 5 } as const;
    return (await runLoad<HttpLoadResult>({ ...load, request: quiets[name] })).p99Ms;
  }

  async function measureQuiet(server: Server, quiet: keyof typeof quiets): Promise<void> {
    sample(`quiet ${quiet}, alone p99 ms`, await p99(server, quiet));
    const endBusy = keepServerCoreBusy();
    sample(`quiet ${quiet}, beside a busy program p99 ms`, await p99(server, quiet));
    await endBusy();
    for (const name of floodNames) {
      const flooding = flood(server, name);
      sample(`quiet ${quiet}, during a flood of ${name} p99 ms`, await p99(server, quiet));
      sample(`flood of ${name} beside ${quiet} per second`, (await flooding).perSecond);
    }
  }

  return {
    async measure(server: Server): Promise<void> {
      // A broker whose code has not been compiled yet is slower alone than later beside others.
      await flood(server, 'push');
      for (const quiet of quietNames) await measureQuiet(server, quiet);
    },
    rows: (at: (name: string) => number): Row[] =>
      quietNames.flatMap((quiet) => {
        const alone = at(`quiet ${quiet}, alone p99 ms`);
        const besideProgram = at(`quiet ${quiet}, beside a busy program p99 ms`) / alone;
        return floodNames.map(
          (name): Row => ({
            figure: `${quiet} p99 of a member while another one floods with ${name} / alone`,
            value: at(`quiet ${quiet}, during a flood of ${name} p99 ms`) / alone,
            target: 2,
            better: 'lower',
            whyMissed: `all of the broker has one core here, which the system gives to another thread for a tick of 4 ms at a time: beside an unrelated program that needs the core, the figure is ${besideProgram.toFixed(1)}`,
          }),
        );
      }),
  };
}
