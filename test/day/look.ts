/** Compares what members see with what the model says. */
import { isDeepStrictEqual } from 'node:util';
import type { View } from './day-views.ts';
import { difference } from './difference.ts';

/** Prevents an endless wait. */
export const lateMs = 60_000;
const lookAgainMs = 20;
const atOnce = 16;

export interface Disagreement {
  title: string;
  expected: unknown;
  actual: unknown;
}

async function look(
  { title, expected, actual, isLate }: View,
  isPatient: boolean,
): Promise<Disagreement | null> {
  const until = Date.now() + (isPatient ? lateMs : 0);
  for (;;) {
    const seen = await actual();
    if (isDeepStrictEqual(seen, expected)) return null;
    if (!isLate || Date.now() > until) return { title, expected, actual: seen };
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

/** Returns the first disagreement; null if there is none. */
export async function firstDisagreement(
  views: readonly View[],
  isPatient = true,
): Promise<Disagreement | null> {
  for (let at = 0; at < views.length; at += atOnce) {
    const found = await Promise.all(views.slice(at, at + atOnce).map((view) => look(view, isPatient)));
    const first = found.find((one) => one !== null);
    if (first !== undefined) return first;
  }
  return null;
}

export const told = ({ title, expected, actual }: Disagreement): string =>
  `${title}\n  ${difference(expected, actual)}`;
