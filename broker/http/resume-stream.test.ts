import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { createFairQueue } from '../runtime/fair-queue.ts';
import type { Entry, Page } from './live-stream.ts';
import { createLiveStreams } from './live-streams.ts';
import { asChunk, sseFrame } from './sse.ts';

const entryAt = (position: number): Entry => ({
  position,
  frame: sseFrame('message', `{"p":${position}}`, `${position}`),
});
const chunkOf = (...positions: number[]): Buffer => asChunk(positions.map((at) => entryAt(at).frame));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const settle = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await turn();
};

/** Streams that read their backlog one after the other. Each page is answered by the test. */
function resuming() {
  const hub = createLiveStreams({
    position: 0,
    stopwatch: () => 0,
    onError: (error) => expect.fail(String(error)),
    turns: createFairQueue({ all: 1, perKey: 1 }),
  });
  onTestFinished(() => hub.close());
  const asked: { key: string; answer: (page: Page) => void }[] = [];
  const open = (key: string, drained = () => Promise.resolve()) => {
    const written: Buffer[] = [];
    let isEnded = false;
    hub.open({
      key,
      credentialId: `credential of ${key}`,
      opening: sseFrame('ready', '{}'),
      after: 0,
      backlog: () => new Promise((answer) => asked.push({ key, answer })),
      sink: {
        isEncrypted: false,
        waitingBytes: 0,
        drained,
        write: (chunk) => void written.push(chunk),
        end: () => {
          isEnded = true;
        },
        onClose: () => undefined,
      },
    });
    return { written, isEnded: () => isEnded };
  };
  return { hub, asked, open };
}

describe('a page that several streams get', () => {
  it('is written as one shared chunk, and then what came meanwhile and is not in it', async () => {
    const { hub, asked, open } = resuming();
    const { written } = open('ada');
    for (const position of [2, 3]) hub.publish(entryAt(position), 'everyone');
    await settle();
    const chunk = chunkOf(1, 2);
    asked[0]?.answer({ entries: [entryAt(1), entryAt(2)], chunk, isLast: true });
    await settle();
    expect(written[1]).toBe(chunk);
    expect(written.slice(2).map(String)).toEqual([chunkOf(3).toString()]);
    hub.publish(entryAt(4), 'everyone');
    await settle();
    expect(written.at(-1)?.toString()).toBe(chunkOf(4).toString());
  });
});

describe('a stream that waits for its turn', () => {
  it('is open already, holds nothing back, and ends at once with its credential, without a read', async () => {
    const { hub, asked, open } = resuming();
    open('ada');
    const ben = open('ben');
    const cy = open('cy');
    hub.publish(entryAt(1), 'everyone');
    await settle();
    expect(asked.map(({ key }) => key)).toEqual(['ada']);
    for (const { written } of [ben, cy])
      expect(written.map(String)).toEqual([expect.stringContaining('ready')]);
    hub.end({ credentialId: 'credential of ben' });
    expect(ben.isEnded()).toBe(true);
    expect(ben.written.at(-1)?.toString()).toContain('event: bye');
    asked[0]?.answer({ entries: [], isLast: true });
    await settle();
    expect(asked.map(({ key }) => key)).toEqual(['ada', 'cy']);
    expect(ben.written).toHaveLength(2);
    asked[1]?.answer({ entries: [entryAt(1)], isLast: true });
    await settle();
    expect(cy.written.slice(1).map(String)).toEqual([chunkOf(1).toString()]);
  });

  it('does not wait for readers that take nothing of their page, and these get no further one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { asked, open } = resuming();
    const taken = Promise.withResolvers<void>();
    open('ada', () => taken.promise);
    open('ben');
    const keys = () => asked.map(({ key }) => key);
    await settle();
    asked[0]?.answer({ entries: [entryAt(1)], isLast: false });
    await settle();
    expect(keys()).toEqual(['ada']);
    await vi.advanceTimersByTimeAsync(limits.stream.takeMs);
    await settle();
    expect(keys()).toEqual(['ada', 'ben']);
    asked[1]?.answer({ entries: [], isLast: true });
    await settle();
    expect(keys()).toEqual(['ada', 'ben']);
    taken.resolve();
    await settle();
    expect(keys()).toEqual(['ada', 'ben', 'ada']);
  });

  it('gets nothing of a page that was being read when it ended', async () => {
    const { hub, asked, open } = resuming();
    const { written } = open('ada');
    await settle();
    hub.end({ key: 'ada' });
    const before = [...written];
    asked[0]?.answer({ entries: [entryAt(1)], chunk: chunkOf(1), isLast: true });
    await settle();
    expect(written).toEqual(before);
  });
});
