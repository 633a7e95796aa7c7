/** Measures what attacks without a credential cost others (specification/api.md#connections). */
import type { HostileLoad, HostileLoadResult } from './hostile-load.ts';
import type { HttpLoadResult } from './http-load.ts';
import { runLoad, type Server } from './processes.ts';
import type { Row } from './report.ts';

const health = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

const attacks: Record<string, Pick<HostileLoad, 'head' | 'repeated' | 'times'>> = {
  '1,400 pipelined requests each': { head: '', repeated: health, times: 1400 },
  'bodies of 4,000 chunks of one byte': {
    head: 'POST /session/totp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    repeated: '1\r\n \r\n',
    times: 4000,
  },
};

const connections = 400;

export interface HostileBenchDeps {
  isQuick: boolean;
  sample: (name: string, value: number) => void;
}

const sampleName = (attack: string): string =>
  `healthz beside ${connections} connections with ${attack} p99 ms`;

export function createHostileBench({ isQuick, sample }: HostileBenchDeps) {
  const durationMs = isQuick ? 1500 : 6000;
  const warmUpMs = 1500;

  return {
    async measure({ port }: Server): Promise<void> {
      for (const [name, attack] of Object.entries(attacks)) {
        const attacking = runLoad<HostileLoadResult>({
          kind: 'hostile',
          port,
          connections,
          durationMs: durationMs + warmUpMs + 1000,
          ...attack,
        });
        const asking = await runLoad<HttpLoadResult>({
          kind: 'http',
          port,
          connections: 1,
          durationMs,
          warmUpMs,
          pauseMs: 5,
          request: health,
        });
        sample(sampleName(name), asking.p99Ms);
        sample(`connections with ${name} per second`, (await attacking).connectionsPerSecond);
      }
    },
    rows: (at: (name: string) => number): Row[] =>
      Object.keys(attacks).map((name) => ({
        figure: `GET /healthz p99 beside ${connections} connections with ${name}`,
        value: at(sampleName(name)),
        unit: 'ms',
        target: 100,
        better: 'lower',
      })),
  };
}
