import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillStores } from './fill-stores.ts';
import { type CountingReader, canCountPages, openCountingReader } from './page-visits.ts';
import { type CountedRead, countedReads, type FilledStore, uncountedReads } from './reads.ts';
import { defaultStart as start, type TeamSize } from './team-shape.ts';

/** Large enough that the trees of pages are as deep as those of ten times as much. */
const small: TeamSize = {
  messages: 3000,
  body: 700,
  members: 50,
  channels: 60,
  objectives: 400,
  files: 800,
  activity: 2000,
};
const large: TeamSize = {
  messages: 10 * small.messages,
  body: small.body,
  members: 10 * small.members,
  channels: 10 * small.channels,
  objectives: 10 * small.objectives,
  files: 10 * small.files,
  activity: 10 * small.activity,
};

/**
 * Returns the upper bound of visits for ten times as much data, which may add a level of a tree and further segments
 * of the search index. A read that looks at everything visits ten times as many pages.
 */
const mostWithoutGrowth = (visits: number): number => 2 * visits + 12;

const section = 'See CONTRIBUTING.md#adding-a-read';

/** Describes a read that fails, printed before the expectation. */
const findingOf = ({ title, unit }: CountedRead, few: number, many: number): string =>
  `"${title}" (the unit ${unit}) visits ${few} pages in the small store and ${many} in the large one, and ${mostWithoutGrowth(few)} are allowed for a read that does not grow`;

interface Opened {
  store: FilledStore;
  reader: Record<CountedRead['store'], CountingReader>;
}

// Another system does not count what one thread reads.
describe.skipIf(!canCountPages)(
  'the pages that a read visits, in a store and in one of ten times the size',
  () => {
    const opened: Opened[] = [];
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'muster-scale-'));
      const fill = async (size: TeamSize): Promise<Opened> => {
        const place = join(folder, String(size.messages));
        const store = await fillStores(place, size, { start, onPart: () => undefined });
        const open = (name: CountedRead['store']) => openCountingReader(name, join(place, `${name}.db`));
        return { store, reader: { main: await open('main'), activity: await open('activity') } };
      };
      opened.push(await fill(small), await fill(large));
    });
    afterAll(async () => {
      for (const { reader } of opened) await Promise.all(Object.values(reader).map((one) => one.close()));
      await rm(folder, { recursive: true, force: true });
    });

    const visitsOf = ({ store: name, unit, input }: CountedRead): Promise<number[]> =>
      Promise.all(opened.map(({ store, reader }) => reader[name].visitsOf(unit, input(store))));

    it.each(countedReads.filter(({ grows }) => grows === undefined))(
      'do not grow for $title',
      async (read) => {
        const [few = 0, many = 0] = await visitsOf(read);
        expect(few).toBeGreaterThan(0);
        expect(
          many,
          `${findingOf(read, few, many)}. Look at its query plan, and bound it. ${section}`,
        ).toBeLessThanOrEqual(mostWithoutGrowth(few));
      },
    );

    it.each(countedReads.filter(({ grows }) => grows !== undefined))(
      'grow for $title: $grows',
      async (read) => {
        const [few = 0, many = 0] = await visitsOf(read);
        expect(
          many,
          `${findingOf(read, few, many)}. It no longer grows: remove its mark in test/scale/reads.ts. ${section}`,
        ).toBeGreaterThan(mostWithoutGrowth(few));
      },
    );

    it('are more for a longer page, however often a page is visited', async () => {
      const history = countedReads.find(({ unit }) => unit === 'historyPage')!;
      const visits = async (limit: number): Promise<number> => {
        const [few = 0] = await visitsOf({
          ...history,
          input: (store) => ({ ...(history.input(store) as object), limit }),
        });
        return few;
      };
      expect(await visits(200)).toBeGreaterThan(mostWithoutGrowth(await visits(50)));
    });

    it('are counted for every reading unit, unless a reason is given', () => {
      const units = Object.values(opened[0]!.reader).flatMap(({ names }) => names);
      const known = [...countedReads.map(({ unit }) => unit), ...Object.keys(uncountedReads)];
      expect(
        new Set(known),
        `Each reading unit needs a row or a reason in test/scale/reads.ts. ${section}`,
      ).toEqual(new Set(units));
    });
  },
);
