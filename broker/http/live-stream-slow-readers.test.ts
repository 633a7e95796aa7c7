/** Slow readers of live streams: the broker disconnects a reader that does not take its data (specification/streams.md#slow-readers). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHub, entryAt, open, settle, turn } from './testing/memory-streams.ts';

/** specification/streams.md#slow-readers and #subscribe */
const waitingBytes = 1024 * 1024;
const heartbeatMs = 15_000;

describe('live streams', () => {
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
