/**
 * Measures how fast messages reach many streams: Muster beside a bare loop over sockets, and beside NATS core, which stores nothing, with
 * the same client. Only frames that the streams have received count.
 */
import { benchToken, startBenchBroker } from './bench-broker.ts';
import { type StreamLoad, stamp } from './load-program.ts';
import { type FramesMeasured, type Measurable, measureFrames } from './measure-load.ts';
import { startNats } from './nats.ts';
import { measured, onServerCore, startServer } from './processes.ts';
import type { Row } from './report.ts';

export interface FanOutBenchDeps {
  newFile: () => string;
  isQuick: boolean;
  sample: (name: string, value: number) => void;
}

type Client = Pick<StreamLoad, 'protocol' | 'request' | 'opening' | 'opened' | 'greeting' | 'greeted'>;

const head = `HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${benchToken}\r\n`;
const body = JSON.stringify({ body: `${stamp} ${'x'.repeat(80)}`, level: 'info' });
const httpClient = (opened: string): Client => ({
  protocol: 'http',
  request: `POST /push ${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  opening: `GET /subscribe?name=bench ${head}\r\n`,
  opened,
});
const ofBroker = httpClient('event: ready');

/** As long as a frame of Muster. Each publication is acknowledged, as a push is answered. */
const natsMessage = stamp.padEnd(240, 'x');
const ofNats: Client = {
  protocol: 'nats',
  request: `PUB all ${natsMessage.length}\r\n${natsMessage}\r\n`,
  opening: 'CONNECT {"verbose":false,"pedantic":false}\r\nSUB all 1\r\nPING\r\n',
  opened: 'PONG\r\n',
  greeting: 'CONNECT {"verbose":true,"pedantic":false}\r\nPING\r\n',
  greeted: 'PONG\r\n',
};

/** How many messages per second both are sent, so that both can carry them on one core. */
const equalRates: [streams: number, messages: number][] = [
  [100, 1000],
  [1000, 100],
];
const connections = 64;

export function createFanOutBench({ newFile, isQuick, sample }: FanOutBenchDeps) {
  const warmUpMs = isQuick ? 1500 : 2000;
  const durationMs = isQuick ? 1500 : 3000;
  const seen = new Set<string>();

  function keep(name: string, result: FramesMeasured | null): void {
    if (result === null) return;
    seen.add(name);
    sample(`${name}, frames per second`, result.framesPerSecond);
    sample(`${name}, frames per CPU second`, result.framesPerCpuSecond);
    sample(`${name}, p99 ms`, result.p99Ms);
  }

  async function serial(name: string, server: Measurable, client: Client): Promise<void> {
    const load = { ...client, streams: 1000, connections: 1, warmUpMs, durationMs };
    keep(`${name}, one at a time to 1000 streams`, await measureFrames(server, load));
  }

  /** The rate comes first, because a saturated server leaves nothing to compare. */
  async function concurrent(name: string, server: Measurable, client: Client): Promise<void> {
    for (const [streams, rate] of equalRates) {
      const load = { ...client, streams, connections, warmUpMs, durationMs };
      keep(
        `${name}, ${streams} streams at ${rate} messages/s`,
        await measureFrames(server, { ...load, rate }),
      );
      keep(`${name}, ${streams} streams saturated`, await measureFrames(server, load));
    }
  }

  const besideNats = (at: (name: string) => number): Row[] =>
    equalRates.flatMap(([streams, rate]) => {
      const saturated = `${streams} streams saturated`;
      const paced = `${streams} streams at ${rate} messages/s`;
      const ratio = (name: string, figure: string): number =>
        at(`Muster, ${name}, ${figure}`) / at(`NATS core, ${name}, ${figure}`);
      return [
        {
          figure: `frames per second, ${streams} streams, 64 connections saturated / NATS core`,
          value: ratio(saturated, 'frames per second'),
          target: streams === 100 ? 1 : 4,
          better: 'higher',
          whyMissed:
            'NATS core stores nothing, while Muster commits each message to disk before it sends it.',
        },
        {
          figure: `frames per server CPU second, ${streams} streams, ${rate} messages/s / NATS core`,
          value: ratio(paced, 'frames per CPU second'),
          target: 1,
          better: 'higher',
          whyMissed:
            'NATS core stores nothing, while Muster commits each message to disk before it sends it.',
        },
      ];
    });

  return {
    async round(): Promise<void> {
      await measured(await startServer('bare/fan-out.ts'), (server) =>
        serial('bare socket loop', server, httpClient('event: open')),
      );
      await measured(await startBenchBroker(newFile()), (server) => serial('Muster', server, ofBroker));
      await measured(await startBenchBroker(newFile()), (server) => concurrent('Muster', server, ofBroker));
      const nats = await startNats(onServerCore);
      if (nats !== null) await measured(nats, (server) => concurrent('NATS core', server, ofNats));
    },
    /** Nothing without a C compiler; NATS only where its server is installed. */
    rows: (at: (name: string) => number): Row[] => [
      ...(seen.has('Muster, one at a time to 1000 streams')
        ? [
            {
              figure: 'broadcast one at a time to 1000 streams / bare socket loop',
              value:
                at('Muster, one at a time to 1000 streams, frames per second') /
                at('bare socket loop, one at a time to 1000 streams, frames per second'),
              target: 0.7,
              better: 'higher',
            } as const,
          ]
        : []),
      ...(seen.has('NATS core, 100 streams saturated') ? besideNats(at) : []),
    ],
  };
}
