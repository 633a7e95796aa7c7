import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { limits } from '#protocol/limits.ts';
import type { Audience, Entry, OpenStream } from './live-stream.ts';
import { createLiveStreams, type LiveStreams } from './live-streams.ts';
import { type StreamSink, sseFrame } from './sse.ts';

/** specification/streams.md#slow-readers and #subscribe */
const waitingBytes = 1024 * 1024;
const heartbeatMs = 15_000;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Long enough for everything that is already resolved to be acted on. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 3; n++) await turn();
};

/** A connection in memory. It reads everything at once, unless it is stalled: then everything is queued. */
class MemorySink implements StreamSink {
  readonly isEncrypted = false;
  readonly chunks: Buffer[] = [];
  ended = false;
  isStalled = false;
  #waiting = 0;
  #onDrained: (() => void)[] = [];
  #onClose: (() => void)[] = [];

  write(chunk: Buffer): void {
    expect(this.ended).toBe(false);
    this.chunks.push(chunk);
    if (this.isStalled) this.#waiting += chunk.length;
  }
  get waitingBytes(): number {
    return this.#waiting;
  }
  drained(): Promise<void> {
    if (this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }
  end(): void {
    this.ended = true;
  }
  onClose(listener: () => void): void {
    this.#onClose.push(listener);
  }

  read(): void {
    this.isStalled = false;
    this.#waiting = 0;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
  /** The reader goes away. */
  close(): void {
    for (const listener of this.#onClose.splice(0)) listener();
    this.read();
  }

  /** Returns the received frames. @throws if a write was not one well-formed HTTP chunk of whole frames. */
  frames(): string[] {
    return this.chunks.flatMap((chunk) => {
      const lineEnd = chunk.indexOf('\r\n');
      const size = chunk.toString('latin1', 0, lineEnd);
      expect(size).toMatch(/^[1-9a-f][0-9a-f]*$/);
      const payload = chunk.subarray(lineEnd + 2, -2);
      expect(Number.parseInt(size, 16)).toBe(payload.length);
      expect(chunk.toString('latin1', chunk.length - 2)).toBe('\r\n');
      const text = payload.toString();
      expect(text.endsWith('\n\n')).toBe(true);
      return text.slice(0, -2).split('\n\n');
    });
  }
  /** Returns the positions of the received entries, in order. */
  positions(): number[] {
    return this.frames()
      .flatMap((frame) => /^id: (\d+)\n/.exec(frame)?.[1] ?? [])
      .map(Number);
  }
}

const padding = 'x'.repeat(400_000);
const entryAt = (position: number, isLarge = false): Entry => ({
  position,
  frame: sseFrame('message', `{"p":${position}${isLarge ? `,"x":"${padding}"` : ''}}`, `${position}`),
});
const opening = sseFrame('ready', '{}');

function createHub(options: { position?: number } = {}) {
  const errors: unknown[] = [];
  const hub = createLiveStreams({
    position: 0,
    stopwatch: () => 0,
    ...options,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => hub.close());
  return { hub, errors };
}

function open(hub: LiveStreams, key: string, over: Partial<OpenStream> = {}): MemorySink {
  const sink = new MemorySink();
  const backlog = () => Promise.resolve([]);
  hub.open({ key, credentialId: `credential of ${key}`, sink, opening, after: null, backlog, ...over });
  return sink;
}

type Command =
  | { do: 'accept'; audience: Audience; isLarge: boolean; isPublishedAtOnce: boolean }
  | { do: 'publish' }
  | { do: 'turn' }
  | { do: 'open'; key: string; after: number | null; isSnapshotLate: boolean }
  | { do: 'answer'; stream: number }
  | { do: 'stall' | 'read' | 'close'; stream: number }
  | { do: 'end'; key: string };

const keys = ['ada', 'ben', 'cy'];
const key = fc.constantFrom(...keys);
const audience: fc.Arbitrary<Audience> = fc.oneof(
  fc.constant('everyone' as const),
  fc.subarray(keys, { minLength: 1 }),
);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('accept' as const),
      audience,
      isLarge: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
      isPublishedAtOnce: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('publish' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      key,
      after: fc.option(fc.nat(60)),
      isSnapshotLate: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), stream: fc.nat(8) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('stall' as const, 'read' as const, 'close' as const),
      stream: fc.nat(8),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), key }) },
);

/**
 * Runs the commands against a hub and a store in memory, waits until everything is at rest, and checks every
 * stream.
 */
async function check(commands: readonly Command[]): Promise<void> {
  /** The store: committed entries, of which the first `published` were handed to the hub. */
  const stored: { entry: Entry; audience: Audience }[] = [];
  let published = 0;
  const changes: string[] = [];
  const { hub, errors } = createHub();
  hub.watchConnections((changed) => changes.push(changed));
  interface Opened {
    key: string;
    from: number;
    sink: MemorySink;
    /** Answers the backlog page that is being read. */
    answer: (() => void) | null;
    isGone: boolean;
  }
  const opened: Opened[] = [];

  const addressed = (to: string, after: number): Entry[] =>
    stored
      .filter(
        ({ entry, audience }) => entry.position > after && (audience === 'everyone' || audience.includes(to)),
      )
      .map(({ entry }) => entry);
  const publishNext = () => {
    const next = stored[published];
    if (next === undefined) return;
    published += 1;
    hub.publish(next.entry, next.audience);
  };

  async function run(one: Command): Promise<void> {
    switch (one.do) {
      case 'accept': {
        stored.push({ entry: entryAt(stored.length + 1, one.isLarge), audience: one.audience });
        if (one.isPublishedAtOnce) while (published < stored.length) publishNext();
        return;
      }
      case 'publish':
        return publishNext();
      case 'turn':
        return turn();
      case 'open': {
        const after = one.after === null ? null : Math.min(one.after, hub.position);
        const sink = new MemorySink();
        const stream: Opened = {
          key: one.key,
          from: after ?? hub.position,
          sink,
          answer: null,
          isGone: false,
        };
        opened.push(stream);
        const backlog = (position: number, limit: number): Promise<Entry[]> =>
          new Promise((resolve) => {
            // The store reads at some moment between the question and the answer.
            const early = addressed(one.key, position).slice(0, limit);
            stream.answer = () => {
              stream.answer = null;
              resolve(one.isSnapshotLate ? addressed(one.key, position).slice(0, limit) : early);
            };
          });
        hub.open({ key: one.key, credentialId: one.key, sink, opening, after, backlog });
        return;
      }
      case 'end': {
        for (const stream of opened) if (stream.key === one.key) stream.isGone = true;
        return hub.end({ key: one.key });
      }
      default: {
        const stream = opened[one.stream];
        if (stream === undefined) return;
        if (one.do === 'answer') stream.answer?.();
        else if (one.do === 'stall') stream.sink.isStalled = true;
        else if (one.do === 'read') stream.sink.read();
        else {
          stream.isGone = true;
          stream.sink.close();
        }
      }
    }
  }

  for (const one of commands) await run(one);
  while (published < stored.length) publishNext();
  await settle();
  for (const { sink } of opened) sink.read();
  for (let isWaiting = true; isWaiting; ) {
    await settle();
    const asking = opened.filter(({ answer }) => answer !== null);
    isWaiting = asking.length > 0;
    for (const { answer } of asking) answer?.();
  }
  await settle();

  expect(errors).toEqual([]);
  for (const { key, from, sink, isGone } of opened) {
    const whole = addressed(key, from).map(({ position }) => position);
    const received = sink.positions();
    const wasCut = isGone || sink.ended;
    expect(received).toEqual(wasCut ? whole.slice(0, received.length) : whole);
    expect(sink.frames().slice(0, 2)).toEqual(['retry: 2000', 'event: ready\ndata: {}']);
    if (sink.ended) expect(sink.frames().at(-1)).toBe('event: bye\ndata: {}');
  }
  const open = opened.filter(({ isGone, sink }) => !isGone && !sink.ended);
  expect(hub.total).toBe(open.length);
  for (const one of keys) expect(hub.connections(one)).toBe(open.filter(({ key }) => key === one).length);
  expect(changes).toHaveLength(2 * opened.length - open.length);
  hub.close();
  for (const { sink } of open) expect(sink.frames().at(-1)).toBe('event: bye\ndata: {}');
}

describe('live streams', () => {
  it('carry to each stream exactly the entries of its audience after its cursor, in order, whatever happens in the meantime', async () => {
    await fc.assert(fc.asyncProperty(fc.array(command, { maxLength: 60, size: 'max' }), check), {
      numRuns: 250,
    });
  });

  it('hand the same bytes to every subscriber of the same entries, with a turn’s frames joined', async () => {
    const { hub } = createHub();
    const sinks = ['ada', 'ben', 'cy'].map((name) => open(hub, name));
    hub.publish(entryAt(1), 'everyone');
    hub.publish(entryAt(2), ['ada', 'ben']);
    hub.publish(entryAt(3), 'everyone');
    await turn();
    const [ada, ben, cy] = sinks.map(({ chunks }) => chunks.slice(1));
    expect([ada, ben, cy].map((chunks) => chunks?.length)).toEqual([1, 1, 1]);
    expect(ada?.[0]).toBe(ben?.[0]);
    expect(sinks.map((sink) => sink.positions())).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 3],
    ]);
  });

  it('read the backlog in pages of the store until there is no more, then go live', async () => {
    const { hub } = createHub({ position: 250 });
    const asked: number[] = [];
    const sink = open(hub, 'ada', {
      after: 10,
      backlog: async (after, limit) => {
        asked.push(after);
        return Array.from({ length: Math.min(limit, 250 - after) }, (_, n) => entryAt(after + 1 + n));
      },
    });
    await settle();
    hub.publish(entryAt(251), 'everyone');
    await settle();
    expect(asked).toEqual([10, 110, 210]);
    expect(sink.positions()).toEqual(Array.from({ length: 241 }, (_, n) => n + 11));
  });

  it('read again from the store what was too much to hold while a page was read', async () => {
    const { hub } = createHub();
    const stored: Entry[] = [];
    const pages: { after: number; answer: () => void }[] = [];
    const sink = open(hub, 'ada', {
      after: 0,
      backlog: (after) =>
        new Promise((resolve) => {
          const page = stored.filter(({ position }) => position > after);
          pages.push({ after, answer: () => resolve(page) });
        }),
    });
    for (let position = 1; position <= 4; position++) {
      stored.push(entryAt(position, true));
      hub.publish(entryAt(position, true), 'everyone');
      await turn();
    }
    pages[0]?.answer();
    await settle();
    expect(pages.map(({ after }) => after)).toEqual([0, 0]);
    pages[1]?.answer();
    await settle();
    hub.publish(entryAt(5), 'everyone');
    await settle();
    expect(sink.positions()).toEqual([1, 2, 3, 4, 5]);
  });

  it('read backlogs a few at a time, and those of one reader do not delay another one', async () => {
    const { hub } = createHub();
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const resume = (key: string) =>
      open(hub, key, {
        after: 0,
        backlog: () => {
          asked.push(key);
          return new Promise((resolve) => answers.push(() => resolve([])));
        },
      });
    for (let n = 0; n < 50; n++) resume('ada');
    await settle();
    expect(asked).toHaveLength(limits.stream.resuming.perKey);
    resume('ben');
    await settle();
    expect(asked.at(-1)).toBe('ben');
    for (let at = 0; at < answers.length; at++) {
      answers[at]?.();
      await settle();
    }
    expect(asked).toHaveLength(51);
  });

  it('request the next page only when the reader has taken the last one', async () => {
    const { hub } = createHub({ position: 1000 });
    let asked = 0;
    const sink = open(hub, 'ada', {
      after: 0,
      backlog: async (after, limit) => {
        asked += 1;
        return Array.from({ length: Math.min(limit, 1000 - after) }, (_, n) => entryAt(after + 1 + n));
      },
    });
    sink.isStalled = true;
    await settle();
    expect(asked).toBe(1);
    sink.read();
    await settle();
    expect(asked).toBe(11);
    expect(sink.positions()).toHaveLength(1000);
  });

  it('disconnect a reader with 1 MiB of queued data, with bye, and nobody else', async () => {
    const { hub } = createHub();
    const slow = open(hub, 'ada');
    const quick = open(hub, 'ben');
    slow.isStalled = true;
    for (let position = 1; position <= 5; position++) {
      hub.publish(entryAt(position, true), 'everyone');
      await turn();
    }
    // Three large frames exceed 1 MiB: the fourth one finds them queued.
    expect(slow.positions()).toEqual([1, 2, 3]);
    expect(slow.frames().at(-1)).toBe('event: bye\ndata: {}');
    expect(quick.positions()).toEqual([1, 2, 3, 4, 5]);
    expect([hub.connections('ada'), hub.connections('ben')]).toEqual([0, 1]);
  });

  it('do not disconnect a reader because the last page of its backlog is still in transit', async () => {
    const { hub } = createHub({ position: 4 });
    const backlog = [1, 2, 3, 4].map((position) => entryAt(position, true));
    const sink = open(hub, 'ada', {
      after: 0,
      backlog: async (after) => backlog.filter(({ position }) => position > after),
    });
    sink.isStalled = true;
    await settle();
    expect(sink.waitingBytes).toBeGreaterThan(waitingBytes);
    for (const position of [5, 6]) {
      backlog.push(entryAt(position));
      hub.publish(entryAt(position), 'everyone');
      await turn();
    }
    expect(sink.ended).toBe(false);
    sink.read();
    await settle();
    hub.publish(entryAt(7), 'everyone');
    await settle();
    expect(sink.positions()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('end with bye by credential or by member, and leave the others open', () => {
    const { hub } = createHub();
    const phone = open(hub, 'ada', { credentialId: 'phone' });
    const laptop = open(hub, 'ada', { credentialId: 'laptop' });
    const ben = open(hub, 'ben');
    hub.end({ credentialId: 'phone' });
    expect([phone, laptop, ben].map(({ ended }) => ended)).toEqual([true, false, false]);
    hub.end({ key: 'ada', credentialId: 'none of hers' });
    expect(laptop.ended).toBe(false);
    hub.end({ key: 'ada' });
    expect([phone, laptop, ben].map(({ ended }) => ended)).toEqual([true, true, false]);
    expect(hub.total).toBe(1);
  });

  it('send bye at shutdown after what was published in the same turn', () => {
    const { hub } = createHub();
    const sink = open(hub, 'ada');
    hub.publish(entryAt(1), 'everyone');
    hub.close();
    expect(sink.frames().slice(-2)).toEqual([entryAt(1).frame.toString().trimEnd(), 'event: bye\ndata: {}']);
  });

  it('are ended if the store cannot answer, and the cause is reported', async () => {
    const { hub, errors } = createHub({ position: 9 });
    const sink = open(hub, 'ada', {
      after: 1,
      backlog: () => Promise.reject(new Error('the store is closed')),
    });
    await settle();
    expect(errors).toEqual([new Error('the store is closed')]);
    expect(sink.ended).toBe(true);
    expect(hub.total).toBe(0);
  });

  it('read on from the store when there is more, each entry once', async () => {
    const { hub } = createHub();
    const stored = [entryAt(1)];
    const pages: { asked: Entry[]; answer: () => void }[] = [];
    const sink = open(hub, 'ada', {
      after: 0,
      backlog: (after) =>
        new Promise((resolve) => {
          const entries = stored.filter(({ position }) => position > after).slice(0, 2);
          pages.push({ asked: entries, answer: () => resolve({ entries, isLast: entries.length < 2 }) });
        }),
    });
    const answer = async (): Promise<void> => {
      pages.at(-1)?.answer();
      await settle();
    };
    // Before the page is answered, so the page does not contain this.
    stored.push(entryAt(2));
    hub.refresh('ada');
    await answer();
    await answer();
    expect(sink.positions()).toEqual([1, 2]);
    expect(pages).toHaveLength(2);
    for (const position of [3, 4, 5, 6]) stored.push(entryAt(position));
    hub.refresh('ben');
    expect(pages).toHaveLength(2);
    hub.refresh('ada');
    for (let n = 0; n < 3; n++) await answer();
    expect(sink.positions()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(pages).toHaveLength(5);
  });

  it('end if a condition on the member and the reader says so', () => {
    const { hub } = createHub();
    const own = open(hub, 'ada', { reader: 'ada' });
    const ofBen = open(hub, 'ben', { reader: 'ada' });
    hub.endWhere(({ key, reader }) => reader === 'ada' && key !== 'ada');
    expect([own.ended, ofBen.ended]).toEqual([false, true]);
  });

  describe('every 15 seconds', () => {
    afterEach(() => void vi.useRealTimers());

    it('carry a comment line, and a reader with 1 MiB of queued data is disconnected', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const { hub } = createHub();
      const quick = open(hub, 'ada');
      const slow = open(hub, 'ben');
      slow.isStalled = true;
      for (const position of [1, 2, 3]) hub.publish(entryAt(position, true), 'everyone');
      await turn();
      vi.advanceTimersByTime(heartbeatMs - 1);
      expect(quick.frames().at(-1)).not.toBe(':');
      vi.advanceTimersByTime(1);
      expect(quick.frames().at(-1)).toBe(':');
      expect(slow.frames().at(-1)).toBe('event: bye\ndata: {}');
      expect([quick.ended, slow.ended]).toEqual([false, true]);
    });

    it('are checked: a reader of a backlog that took nothing since the last check is disconnected', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const { hub } = createHub();
      const backlog = async (after: number) => ({ entries: [entryAt(after + 1)], isLast: false });
      const [stuck, slow] = ['ada', 'ben'].map((name) => open(hub, name, { after: 0, backlog }));
      stuck!.isStalled = slow!.isStalled = true;
      await settle();
      vi.advanceTimersByTime(heartbeatMs);
      slow!.read();
      slow!.isStalled = true;
      await settle();
      vi.advanceTimersByTime(heartbeatMs);
      expect([stuck!.ended, slow!.ended]).toEqual([true, false]);
      slow!.close();
    });
  });
});
