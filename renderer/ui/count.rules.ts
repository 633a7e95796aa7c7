/** A count as a badge shows it, and as a screen reader says it. */

const maxShown = 99;

/** @param isPart not everything was counted, so that the count is a lower bound. */
export const countText = (count: number, isPart: boolean): { shown: string; spoken: string } => ({
  shown: count > maxShown ? `${maxShown}+` : `${count}${isPart ? '+' : ''}`,
  spoken: `${count}${isPart ? ' or more' : ''}`,
});
