import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openMainDatabase } from '../../testing/main-database.ts';
import { messageRow } from '../../testing/message-row.ts';
import { missedUnits } from './missed.sqlite.ts';

const channels = Array.from({ length: 12 }, (_, number) => `ch${number}`);

/** The events, in the order of positions: a post in general or in a channel, or ada joins or leaves a channel. */
const history = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ act: fc.constant('post'), channel: fc.nat(channels.length) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('join'), channel: fc.nat(channels.length - 1) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('leave'), channel: fc.nat(channels.length - 1) }) },
  ),
  { maxLength: 120 },
);

it('has exactly what was posted in general and during the stays in channels that the reader is in, page by page', () => {
  fc.assert(
    fc.property(history, fc.nat(100), fc.integer({ min: 1, max: 20 }), (happened, after, limit) => {
      const { db } = openMainDatabase();
      const columns = ['seq', ...Object.keys(messageRow())];
      const insert = db.prepare(
        `INSERT INTO message (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
      );
      for (const id of channels)
        db.prepare("INSERT INTO channel (id, slug, created_by, created_at) VALUES (?, ?, 'ben', 1)").run(
          id,
          id,
        );
      const joined = new Map<string, number>();
      const posts: { seq: number; channel: string | null }[] = [];
      const stays: { channel: string; from: number; to: number }[] = [];
      for (const { act, channel: number } of happened) {
        const channel = channels[number] ?? null;
        const newest = posts.at(-1)?.seq ?? 0;
        if (act === 'post') {
          const seq = newest + 1;
          // Several messages share a millisecond.
          const ts = 1000 + Math.floor(seq / 3);
          insert.run({
            ...messageRow({ id: `id ${seq}`, ts, scope: channel === null ? 'general' : `chan:${channel}` }),
            seq,
          });
          posts.push({ seq, channel });
        } else if (channel !== null && act === 'join' && !joined.has(channel)) joined.set(channel, newest);
        else if (channel !== null && act === 'leave') {
          const from = joined.get(channel);
          const to = posts.findLast((post) => post.channel === channel)?.seq ?? 0;
          joined.delete(channel);
          if (from !== undefined && to > from) stays.push({ channel, from, to });
        }
      }
      for (const [channel, from] of joined)
        db.prepare("INSERT INTO channel_member VALUES (?, 'ada', 'member', 1, ?, 1)").run(channel, from);
      for (const { channel, from, to } of stays)
        db.prepare("INSERT INTO channel_stay VALUES (?, 'ada', ?, ?)").run(channel, from, to);

      const wasThere = ({ seq, channel }: (typeof posts)[number]): boolean => {
        if (channel === null) return true;
        const present = joined.get(channel);
        if (present === undefined) return false;
        return (
          seq > present || stays.some((one) => one.channel === channel && one.from < seq && seq <= one.to)
        );
      };
      const expected = posts.filter((post) => post.seq > after && wasThere(post)).map(({ seq }) => seq);

      const { missedBy } = missedUnits(db).reads;
      const found: number[] = [];
      for (let isLast = false; !isLast; ) {
        const from = found.at(-1) ?? after;
        const answer = missedBy({
          readers: [{ reader: { name: 'ada', isManager: false }, after: from }],
          limit,
          characters: 1_000_000,
        });
        const [missed] = answer.missed;
        found.push(
          ...(answer.pages[missed?.page ?? 0] ?? []).map((place) => answer.messages[place]?.seq ?? 0),
        );
        isLast = missed?.isLast ?? true;
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
