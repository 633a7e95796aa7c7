/** Measures what must not grow with history, and large files, against a store with a million messages. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { busyChannel, member, quietChannel } from '../scale/team-shape.ts';
import { benchToken, startBenchBroker } from './bench-broker.ts';
import type { FileLoadResult } from './file-load.ts';
import { measureRequests } from './measure-load.ts';
import { type PreparedStore, prepareStore, startOnStore } from './prepared-store.ts';
import { runLoad, runScript, type Server } from './processes.ts';
import type { Row } from './report.ts';
import { shareOf, usual } from './store-sizes.ts';

export interface LargeBenchDeps {
  folder: string;
  /** Has the command as it is packed. */
  packed: string;
  isQuick: boolean;
  sample: (name: string, value: number) => void;
}

const scopes = {
  general: '',
  'a busy channel': `&channel=${busyChannel}`,
  'a quiet channel': `&channel=${quietChannel}`,
  'a direct conversation': `&with=${member}`,
};

const requestOf = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${benchToken}\r\n\r\n`;

/** Until what only the start needs is collected. */
const settleMs = 5000;

export function createLargeBench({ folder, packed, isQuick, sample }: LargeBenchDeps) {
  const sizes = { small: shareOf(usual, 0.001), large: shareOf(usual, isQuick ? 0.02 : 1) };
  const durationMs = isQuick ? 400 : 2500;
  const fileBytes = (isQuick ? 64 : 1024) * 1024 * 1024;
  const [few, many] = [sizes.small, sizes.large].map(
    ({ messages }) => `${messages.toLocaleString('en')} messages`,
  );
  const fileSize = `${fileBytes / 1024 / 1024} MiB`;
  let files = 0;
  let stores: Record<keyof typeof sizes, PreparedStore>;

  async function prepare(): Promise<void> {
    stores = {
      small: await prepareStore(folder, sizes.small),
      large: await prepareStore(folder, sizes.large),
    };
  }

  const load = (server: Server, request: string, connections: number) =>
    measureRequests(server, { connections, durationMs, warmUpMs: durationMs / 2, request });

  async function histories(size: string, store: PreparedStore): Promise<void> {
    const server = await startOnStore(store);
    try {
      // The warm-up, which is not counted, compiles this code.
      await load(server, requestOf('/history?limit=50'), 4);
      for (const [scope, query] of Object.entries(scopes)) {
        const result = await load(server, requestOf(`/history?limit=50${query}`), 4);
        sample(`history of ${scope}, ${size}, pages per second`, result.perSecond);
        sample(`history of ${scope}, ${size}, pages per CPU second`, result.perCpuSecond);
      }
    } finally {
      await server.stop();
    }
  }

  /** Of the command as it is packed. */
  async function startUp(): Promise<void> {
    // The second start has its code compiled, as every start except the first one after an update has.
    for (const isCounted of [false, true]) {
      const start = performance.now();
      const server = await startOnStore(stores.large, join(packed, 'muster.js'));
      try {
        const reply = await fetch(`http://127.0.0.1:${server.port}/healthz`);
        if (reply.status !== 200) throw new Error(`/healthz answered ${reply.status}`);
        if (!isCounted) continue;
        sample('start to first 200 on /healthz ms', performance.now() - start);
        await pause(settleMs);
        sample('memory of the broker, idle MiB', server.residentBytes() / 2 ** 20);
      } finally {
        await server.stop();
      }
    }
  }

  async function largeFile(): Promise<void> {
    const place = join(folder, `files-${++files}`);
    const server = await startBenchBroker(place);
    try {
      const transfer = (path: string, bytes: number) =>
        runLoad<FileLoadResult>({ kind: 'file', port: server.port, token: benchToken, path, bytes });
      // The memory that the first file adds, for a reader thread and code, does not depend on its size.
      await transfer(`/bench/small-${files}.bin`, 2 ** 20);
      const before = server.residentBytes();
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, server.residentBytes());
      }, 20);
      const result = await transfer(`/bench/large-${files}.bin`, fileBytes);
      clearInterval(watch);
      sample('file written, MiB per second', result.writtenPerSecond / 2 ** 20);
      sample('file read, MiB per second', result.readPerSecond / 2 ** 20);
      sample('memory grown by the file, MiB', (most - before) / 2 ** 20);
    } finally {
      await server.stop();
      rmSync(place, { recursive: true });
    }
    const source = join(folder, 'copy-source');
    writeFileSync(source, Buffer.alloc(fileBytes, 7));
    const copied = Number(await runScript('bare/copy.ts', [source, join(folder, 'copy-target')]));
    sample('bare copy with a hash, MiB per second', copied / 2 ** 20);
    for (const name of ['copy-source', 'copy-target']) rmSync(join(folder, name));
  }

  return {
    prepare,
    async round() {
      await histories(few ?? '', stores.small);
      await histories(many ?? '', stores.large);
      await startUp();
      await largeFile();
    },
    rows: (at: (name: string) => number): Row[] => [
      ...Object.keys(scopes).map((scope): Row => {
        const rate = (size = '') => at(`history of ${scope}, ${size}, pages per CPU second`);
        return {
          figure: `history page of 50 of ${scope}, ${many} / ${few}`,
          value: rate(many) / rate(few),
          target: 0.85,
          better: 'higher',
        };
      }),
      ...['written', 'read'].map(
        (way): Row => ({
          figure: `file of ${fileSize} ${way} / copying with a hash`,
          value: at(`file ${way}, MiB per second`) / at('bare copy with a hash, MiB per second'),
          target: 0.6,
          better: 'higher',
          whyMissed:
            'the file also goes over a connection, which the copy does not. The disk differs from run to run, as the ranges show.',
        }),
      ),
      {
        figure: `memory grown by writing and reading ${fileSize}`,
        value: at('memory grown by the file, MiB'),
        unit: 'MiB',
        target: 32,
        better: 'lower',
      },
      {
        figure: `start to first 200 on /healthz, ${many}`,
        value: at('start to first 200 on /healthz ms'),
        unit: 'ms',
        target: 500,
        better: 'lower',
        whyMissed:
          'most of the start is loading the program, which alone takes 0.34 s of processor time (ADR 0013); the history adds little.',
      },
      {
        figure: `memory of the packed broker, idle, ${many}`,
        value: at('memory of the broker, idle MiB'),
        unit: 'MiB',
        target: 110,
        better: 'lower',
        whyMissed:
          'a bare Node has 45 MiB, and the broker loads Fastify, zod, and two threads with SQLite and its page cache (ADR 0013).',
      },
    ],
  };
}
