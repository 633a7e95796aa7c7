/** The backlogs of live streams: pages that a stream reads from the store before and between live entries. */
import { describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import type { Entry } from './live-stream.ts';
import { createHub, entryAt, open, settle, turn } from './testing/memory-streams.ts';

describe('live streams', () => {
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
});
