import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Page } from '../../http/live-stream.ts';
import { openForTest, testFolder } from '../../storage/testing/test-store.ts';
import { messageRow } from '../../testing/message-row.ts';
import { changeStore } from '../../testing/store-rows.ts';
import { scopeKey } from '../scopes/scope-key.ts';
import { createBacklog } from './backlog.ts';
import { createMessageFrames } from './message-frames.ts';
import type { MissedPages, MissedRequest } from './missed.sqlite.ts';

interface Units {
  acceptMessage(input: object): Promise<object>;
  missedBy(request: MissedRequest): Promise<MissedPages>;
}

const threadModule = new URL('../../store-thread.ts', import.meta.url);

/** A backlog on a real store. A message is for everybody, or direct from ada to somebody. */
async function backlogOf(posts: readonly { to: string | null; body: string }[], file = ':memory:') {
  const { units } = await openForTest<Units>({ store: 'main', file, threadModule });
  for (const [at, { to, body }] of posts.entries())
    await units.acceptMessage({
      message: messageRow({
        ...{ id: `id ${at}`, ts: at + 1, body, sender: 'ada', recipient: to },
        scope: to === null ? 'general' : scopeKey({ kind: 'direct', member: to as never }, 'ada'),
      }),
      author: { kind: 'person' },
      to:
        to === null
          ? { kind: 'everyone', targets: 1 }
          : { kind: 'members', members: ['ada', to], targets: 1 },
      answerKey: null,
    });
  const requests: MissedRequest[] = [];
  let failsFor: string | null = null;
  const backlog = createBacklog({
    units: {
      missedBy(request) {
        requests.push(request);
        if (request.readers.some(({ reader }) => reader.name === failsFor))
          return Promise.reject(new Error('it cannot be read'));
        return units.missedBy(request);
      },
    },
    frames: createMessageFrames('abcdefgh'),
  });
  return {
    requests,
    failFor: (name: string) => {
      failsFor = name;
    },
    pageAfter: (name: string, after = 0) => backlog.pageAfter({ reader: { name, isManager: false }, after }),
  };
}

const positionsOf = ({ entries }: Page) => entries.map(({ position }) => position);
const general = (count: number, body = 'hello') => Array.from({ length: count }, () => ({ to: null, body }));

describe('streams that resume at the same time', () => {
  it('share one read, and the bytes if they missed the same', async () => {
    const posts = [...general(2), { to: 'cy', body: 'for cy' }, ...general(1)];
    const { requests, pageAfter } = await backlogOf(posts);
    const [ben, dora, cy, late] = await Promise.all([
      pageAfter('ben'),
      pageAfter('dora'),
      pageAfter('cy'),
      pageAfter('ben', 2),
    ]);
    expect(requests).toHaveLength(1);
    expect([ben, dora, cy, late].map(positionsOf)).toEqual([[1, 2, 4], [1, 2, 4], [1, 2, 3, 4], [4]]);
    expect(dora.chunk).toBe(ben.chunk);
    expect(ben.chunk?.toString()).not.toContain('for cy');
    expect(cy.chunk?.toString()).toContain('for cy');
    expect(ben.chunk?.toString()).toContain(`${ben.entries.map(({ frame }) => frame).join('')}\r\n`);
  });

  it('that missed nothing get a page without a chunk, which would end the reply', async () => {
    const { pageAfter } = await backlogOf(general(1));
    expect(await pageAfter('ben', 1)).toEqual({ entries: [], withheld: [], isLast: true });
  });

  it('each get what they would get alone, in order and once, whatever they missed', async () => {
    const names = ['ada', 'ben', 'cy'];
    const post = fc.record({
      to: fc.constantFrom(null, 'ben', 'cy'),
      body: fc.constantFrom('short', 'x'.repeat(60_000)),
    });
    const reader = fc.record({ name: fc.constantFrom(...names), after: fc.nat(12) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(post, { maxLength: 14 }),
        fc.array(reader, { maxLength: 6 }),
        async (posts, readers) => {
          const { pageAfter } = await backlogOf(posts);
          const everythingAfter = async (name: string, start: number): Promise<number[]> => {
            const seen: number[] = [];
            for (let after = start; ; ) {
              const page = await pageAfter(name, after);
              seen.push(...positionsOf(page));
              if (page.isLast) return seen;
              after = seen.at(-1) ?? after;
            }
          };
          const read = await Promise.all(readers.map(({ name, after }) => everythingAfter(name, after)));
          const expected = readers.map(({ name, after }) =>
            posts.flatMap(({ to }, at) =>
              at + 1 > after && (to === null || to === name || name === 'ada') ? [at + 1] : [],
            ),
          );
          expect(read).toEqual(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('wait for another read when one read is for enough text', async () => {
    const long = { body: 'x'.repeat(60_000) };
    const posts = ['ben', 'cy', 'dora'].flatMap((to) => Array.from({ length: 5 }, () => ({ to, ...long })));
    const { requests, pageAfter } = await backlogOf(posts);
    const pages = await Promise.all(['ben', 'cy', 'dora'].map((name) => pageAfter(name)));
    expect(pages.map(positionsOf)).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [11, 12, 13, 14, 15],
    ]);
    expect(requests.map(({ readers }) => readers.map(({ reader }) => reader.name))).toEqual([
      ['ben', 'cy', 'dora'],
      ['cy', 'dora'],
      ['dora'],
    ]);
  });

  it('are not failed by one of them whose read fails', async () => {
    const { failFor, pageAfter } = await backlogOf(general(1));
    failFor('cy');
    const [ben, cy, dora] = await Promise.allSettled(['ben', 'cy', 'dora'].map((name) => pageAfter(name)));
    expect(cy).toEqual({ status: 'rejected', reason: new Error('it cannot be read') });
    for (const one of [ben, dora])
      expect(one).toMatchObject({ status: 'fulfilled', value: { isLast: true } });
    expect(positionsOf(await pageAfter('ben'))).toEqual([1]);
  });

  it('end alone if a part of what they missed was removed', async () => {
    const file = `${await testFolder()}/main.db`;
    const { pageAfter } = await backlogOf(general(3), file);
    changeStore(file, 'UPDATE message_floor SET seq = 2');
    const [early, present] = await Promise.allSettled([pageAfter('ben', 1), pageAfter('cy', 2)]);
    expect(early.status).toBe('rejected');
    expect(present).toMatchObject({ status: 'fulfilled', value: { entries: [{ position: 3 }] } });
  });
});
