/** The ratios of two versions that took turns. */
import { median } from './report.ts';

/** The figures of one version in one turn, by name. One that could not be measured is absent. */
export type Turn = Record<string, number>;
export type Better = 'higher' | 'lower';

const shown = (ratio: number): string => ratio.toFixed(2);

/**
 * Returns the cells of a table: each figure, the median of the ratios within the turns, their range, and which direction is better.
 * A figure that no turn has on both sides is "not measured".
 */
export function ratiosOf(
  figures: Readonly<Record<string, Better>>,
  turns: readonly { here: Turn; there: Turn }[],
): string[][] {
  return Object.entries(figures).map(([figure, better]) => {
    const ratios = turns.flatMap(({ here: { [figure]: here }, there: { [figure]: there } }) =>
      here === undefined || there === undefined || there === 0 ? [] : [here / there],
    );
    if (ratios.length === 0) return [figure, 'not measured', '', better];
    const range = `${shown(Math.min(...ratios))} – ${shown(Math.max(...ratios))}`;
    return [figure, shown(median(ratios)), range, better];
  });
}
