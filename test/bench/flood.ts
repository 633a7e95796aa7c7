/** Measures what one member's requests cost another one, while a flood of requests lasts (ADR 0028). */
import { benchToken, otherToken } from './bench-broker.ts';
import type { HttpLoadResult } from './http-load.ts';
import { runLoad, type Server } from './processes.ts';
import type { Row } from './report.ts';

const request = (token: string, line: string, body = ''): string =>
  `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const floods: Record<string, string> = {
  push: request(benchToken, 'POST /push', JSON.stringify({ body: `flood ${'x'.repeat(80)}` })),
  history: request(benchToken, 'GET /history?limit=500'),
  search: request(benchToken, 'GET /search?q=flood'),
  ls: request(benchToken, 'GET /fs/ls?path=/'),
};

const connections = 64;

export interface FloodBenchDeps {
  isQuick: boolean;
  sample: (name: string, value: number) => void;
}

export function createFloodBench({ isQuick, sample }: FloodBenchDeps) {
  const durationMs = isQuick ? 1500 : 6000;

  /** A member that posts now and then. */
  const quiet = ({ port }: Server): Promise<HttpLoadResult> =>
    runLoad<HttpLoadResult>({
      kind: 'http',
      port,
      connections: 1,
      durationMs,
      warmUpMs: 1500,
      pauseMs: 5,
      request: request(otherToken, 'POST /push', JSON.stringify({ body: `quiet ${'x'.repeat(80)}` })),
    });

  return {
    async measure(server: Server): Promise<void> {
      sample('quiet member, alone p99 ms', (await quiet(server)).p99Ms);
      for (const [name, flood] of Object.entries(floods)) {
        const flooding = runLoad<HttpLoadResult>({
          kind: 'http',
          port: server.port,
          connections,
          durationMs: durationMs + 2500,
          warmUpMs: 0,
          request: flood,
        });
        sample(`quiet member, during a flood of ${name} p99 ms`, (await quiet(server)).p99Ms);
        sample(`flood of ${name} per second`, (await flooding).perSecond);
      }
    },
    rows: (at: (name: string) => number): Row[] =>
      Object.keys(floods).map((name) => ({
        figure: `push p99 of a member while another one floods with ${name} / alone`,
        value: at(`quiet member, during a flood of ${name} p99 ms`) / at('quiet member, alone p99 ms'),
        target: 2,
        better: 'lower',
      })),
  };
}
