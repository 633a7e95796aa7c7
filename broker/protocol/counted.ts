/** A count with its noun: `1 member`, `2 members`. `plural` is for nouns that do not take an "s". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
