/** Live streams: the entries that each of them carries, whatever happens in the meantime, and their end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Audience, Entry } from './live-stream.ts';
import { createHub, entryAt, MemorySink, open, opening, settle, turn } from './testing/memory-streams.ts';

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

interface Opened {
  key: string;
  from: number;
  sink: MemorySink;
  /** Answers the backlog page that is being read. */
  answer: (() => void) | null;
  isGone: boolean;
}

/** Expects that each stream carried all entries after its start, or the first ones if it was cut. */
function expectWhole(opened: readonly Opened[], addressed: (to: string, after: number) => Entry[]): void {
  for (const { key, from, sink, isGone } of opened) {
    const whole = addressed(key, from).map(({ position }) => position);
    const received = sink.positions();
    const wasCut = isGone || sink.ended;
    expect(received).toEqual(wasCut ? whole.slice(0, received.length) : whole);
    expect(sink.frames().slice(0, 2)).toEqual(['retry: 2000', 'event: ready\ndata: {}']);
    if (sink.ended) expect(sink.frames().at(-1)).toBe('event: bye\ndata: {}');
  }
}

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
  expectWhole(opened, addressed);
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

  it('end if a condition on the member and the reader says so', () => {
    const { hub } = createHub();
    const own = open(hub, 'ada', { reader: 'ada' });
    const ofBen = open(hub, 'ben', { reader: 'ada' });
    hub.endWhere(({ key, reader }) => reader === 'ada' && key !== 'ada');
    expect([own.ended, ofBen.ended]).toEqual([false, true]);
  });
});
