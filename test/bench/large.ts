/** Measures what must not grow with history, and large files, against a store with a million messages. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchToken, otherToken, startBenchBroker } from './bench-broker.ts';
import type { FileLoadResult } from './file-load.ts';
import {
  busyChannel,
  commonWord,
  fillStore,
  million,
  quietChannel,
  rareWord,
  type StoreSize,
  thousand,
} from './large-store.ts';
import { measureRequests } from './measure-load.ts';
import { runLoad, runScript, type Server } from './processes.ts';
import type { Row } from './report.ts';

export interface LargeBenchDeps {
  folder: string;
  isQuick: boolean;
  sample: (name: string, value: number) => void;
}

const scopes = {
  general: '',
  'a busy channel': `&channel=${busyChannel}`,
  'a quiet channel': `&channel=${quietChannel}`,
  'a direct conversation': '&with=other',
};

/** Other queries of a large store. Their milliseconds are shown without a target. */
const others: [name: string, token: string, path: string][] = [
  ['objectives, newest 50 of 10,000', benchToken, '/objectives?limit=50'],
  ['unread of 11,000 scopes', benchToken, '/unread'],
  ['1,000 channels', benchToken, '/channels'],
  ['ls of a home of 500 folders', benchToken, '/fs/ls?path=/bench'],
  ['ls of a home by grants of 1,000 channels', otherToken, '/fs/ls?path=/bench'],
  ['10,000 shared files', otherToken, '/fs/shared'],
  ['search of a common word', otherToken, `/search?q=${commonWord}`],
  ['search of a rare word', otherToken, `/search?q=${rareWord}`],
];

const requestOf = (path: string, token = benchToken): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`;

export function createLargeBench({ folder, isQuick, sample }: LargeBenchDeps) {
  const large: StoreSize = isQuick
    ? { messages: 20_000, channels: 100, objectives: 200, files: 1000 }
    : million;
  const durationMs = isQuick ? 400 : 2500;
  const fileBytes = (isQuick ? 64 : 1024) * 1024 * 1024;
  const stores = {
    large: join(folder, 'large'),
    unindexed: join(folder, 'unindexed'),
    small: join(folder, 'small'),
  };
  const [few, many] = [thousand, large].map(({ messages }) => `${messages.toLocaleString('en')} messages`);
  const fileSize = `${fileBytes / 1024 / 1024} MiB`;
  let files = 0;

  function prepare(): void {
    for (const path of Object.values(stores)) mkdirSync(path, { recursive: true });
    fillStore(join(stores.large, 'main.db'), large, true);
    fillStore(join(stores.unindexed, 'main.db'), large, false);
    fillStore(join(stores.small, 'main.db'), thousand, true);
  }

  const load = (server: Server, request: string, connections: number) =>
    measureRequests(server, { connections, durationMs, warmUpMs: durationMs / 2, request });

  async function histories(size: string, store: string, isAll: boolean): Promise<void> {
    const server = await startBenchBroker(store);
    try {
      // The warm-up, which is not counted, compiles this code.
      await load(server, requestOf('/history?limit=50'), 4);
      for (const [scope, query] of Object.entries(scopes)) {
        const result = await load(server, requestOf(`/history?limit=50${query}`), 4);
        sample(`history of ${scope}, ${size}, pages per second`, result.perSecond);
        sample(`history of ${scope}, ${size}, pages per CPU second`, result.perCpuSecond);
      }
      if (!isAll) return;
      for (const [name, token, path] of others)
        sample(`${name}, p50 ms`, (await load(server, requestOf(path, token), 1)).p50Ms);
    } finally {
      await server.stop();
    }
  }

  /** The index is complete, so that the start does not wait for it to catch up. */
  async function startUp(): Promise<void> {
    const copy = join(folder, 'started');
    mkdirSync(copy, { recursive: true });
    copyFileSync(join(stores.unindexed, 'main.db'), join(copy, 'main.db'));
    // The second start has its code compiled, as every start except the first one after an update has.
    for (const isCounted of [false, true]) {
      const start = performance.now();
      const server = await startBenchBroker(copy);
      try {
        const reply = await fetch(`http://127.0.0.1:${server.port}/healthz`);
        if (reply.status !== 200) throw new Error(`/healthz answered ${reply.status}`);
        if (isCounted) sample('start to first 200 on /healthz ms', performance.now() - start);
      } finally {
        await server.stop();
      }
    }
    rmSync(copy, { recursive: true });
  }

  async function largeFile(): Promise<void> {
    const place = join(folder, `files-${++files}`);
    const server = await startBenchBroker(place);
    try {
      const transfer = (path: string, bytes: number) =>
        runLoad<FileLoadResult>({ kind: 'file', port: server.port, token: benchToken, path, bytes });
      // What the first file adds to memory, a reader thread and code, does not depend on its size.
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
      await histories(few ?? '', stores.small, false);
      await histories(many ?? '', stores.large, true);
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
        }),
      ),
      {
        figure: `memory grown by writing and reading ${fileSize}`,
        value: at('memory grown by the file, MiB'),
        unit: 'MiB',
        target: 32,
        better: 'lower',
        whyMissed:
          'most of the start is loading the program, which alone takes 0.4 s of processor time (ADR 0013); the history adds little.',
      },
      {
        figure: `start to first 200 on /healthz, ${many}, none of them indexed`,
        value: at('start to first 200 on /healthz ms'),
        unit: 'ms',
        target: 700,
        better: 'lower',
      },
    ],
  };
}
