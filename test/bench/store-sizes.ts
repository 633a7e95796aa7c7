/** How large the stores of the bench are. Pure. */
import type { TeamSize } from '../scale/team-shape.ts';

export const usual: TeamSize = {
  messages: 1_000_000,
  body: 0,
  members: 500,
  channels: 200,
  objectives: 10_000,
  files: 20_000,
  activity: 100_000,
};
export const full: TeamSize = {
  messages: 10_000_000,
  body: 0,
  members: 5000,
  channels: 2000,
  objectives: 100_000,
  files: 200_000,
  activity: 1_000_000,
};

/** The least that a store has, because the shape of the team needs a few of everything. */
const fewest: TeamSize = {
  messages: 1000,
  body: 0,
  members: 10,
  channels: 20,
  objectives: 100,
  files: 200,
  activity: 1000,
};

/** A store with this share of everything, and at least `fewest`. */
export function shareOf(whole: TeamSize, share: number): TeamSize {
  const of = (name: keyof TeamSize): number => Math.max(fewest[name], Math.round(whole[name] * share));
  return {
    messages: of('messages'),
    body: 0,
    members: of('members'),
    channels: of('channels'),
    objectives: of('objectives'),
    files: of('files'),
    activity: of('activity'),
  };
}

/** Returns the stores that the bench compares: a store, and one with a tenth of everything, but at least `fewest`. */
export const comparedStores = (whole: TeamSize, share: number): { tenth: TeamSize; all: TeamSize } => ({
  tenth: shareOf(whole, share / 10),
  all: shareOf(whole, share),
});

/** Returns the smallest share, in hundredths, for which the tenth has less of everything than the whole. */
export function smallestShare(whole: TeamSize): number {
  for (let hundredths = 1; hundredths < 100; hundredths++)
    if (isSmaller(comparedStores(whole, hundredths / 100))) return hundredths / 100;
  return 1;
}

const counted = ['messages', 'members', 'channels', 'objectives', 'files', 'activity'] as const;

const isSmaller = ({ tenth, all }: ReturnType<typeof comparedStores>): boolean =>
  counted.every((name) => tenth[name] < all[name]);

export const sizeText = (size: TeamSize): string =>
  counted.map((name) => `${size[name].toLocaleString('en')} ${textOf(name)}`).join(', ');

const textOf = (name: (typeof counted)[number]): string => (name === 'activity' ? 'rows of activity' : name);
