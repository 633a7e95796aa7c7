import { expect, test } from 'vitest';
import { feedOf, mergeFeeds, type UpdateFeed } from './update-feed.rules.ts';

const feed = (name: string, releaseDate: string, version = '1.2.3'): UpdateFeed => ({
  version,
  files: ['mac.zip', 'dmg'].map((end, at) => ({
    url: `${name}.${end}`,
    sha512: `${name}-${at}`,
    size: at + 1,
  })),
  path: `${name}.mac.zip`,
  sha512: `${name}-0`,
  releaseDate,
});
const arm = feed('Muster-1.2.3-arm64', '2026-01-01T10:00:00.000Z');
const intel = feed('Muster-1.2.3', '2026-01-01T09:00:00.000Z');

test.each([
  ['ARM first', [arm, intel] as const],
  ['Intel first', [intel, arm] as const],
])('one feed has the files of all, and those of Intel for older updaters: %s', (_, feeds) => {
  const merged = mergeFeeds([...feeds]);
  expect(merged.files).toHaveLength(4);
  expect(merged.files).toEqual(expect.arrayContaining([...arm.files, ...intel.files]));
  expect(merged).toMatchObject({
    version: '1.2.3',
    path: 'Muster-1.2.3.mac.zip',
    sha512: 'Muster-1.2.3-0',
    releaseDate: arm.releaseDate,
  });
});

test('a single feed stays as it is', () => {
  expect(mergeFeeds([arm])).toEqual(arm);
  expect(mergeFeeds([arm, arm])).toEqual(arm);
});

test('feeds that contradict each other are refused', () => {
  expect(() => mergeFeeds([arm, feed('a', '', '1.2.4')])).toThrow('different versions: 1.2.3, 1.2.4.');
  const changed = { ...arm, files: arm.files.map((file) => ({ ...file, sha512: 'other' })) };
  expect(() => mergeFeeds([arm, changed])).toThrow('"Muster-1.2.3-arm64.mac.zip" with different checksums.');
});

test.each([[null], ['text'], [{ version: '1' }], [{ ...arm, files: [{ url: 'x' }] }]])(
  '%j is not a feed',
  (value) => {
    expect(() => feedOf(value, 'latest-mac.yml')).toThrow('"latest-mac.yml" is not an update feed.');
  },
);
