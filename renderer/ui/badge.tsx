/** A state in words; the color only repeats it. */
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import { countText } from './count.rules.ts';

export type Tone = 'neutral' | 'positive' | 'caution' | 'critical' | 'info';

const toneClass: Record<Tone, string> = {
  neutral: 'bg-hover text-soft',
  positive: 'bg-positive-soft text-positive',
  caution: 'bg-caution-soft text-caution',
  critical: 'bg-critical-soft text-critical',
  info: 'bg-info-soft text-info',
};

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex h-5 items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap',
        toneClass[tone],
      )}
    >
      {children}
    </span>
  );
}

/** Only what waits in the inbox is urgent, so that one count on the screen is red. */
const countClass = {
  urgent: 'bg-critical text-surface',
  personal: 'bg-accent text-on-accent',
  plain: 'bg-hover text-soft',
};

/** A count of what the reader has not seen; `name` says what is counted. */
export function CountBadge({
  count,
  look,
  isPart = false,
  name,
}: {
  count: number;
  look: keyof typeof countClass;
  /** Not everything was counted. */
  isPart?: boolean;
  name: string;
}) {
  if (count === 0) return null;
  const { shown, spoken } = countText(count, isPart);
  return (
    <span
      className={cx(
        'inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full px-1 text-xs font-semibold tabular-nums',
        countClass[look],
      )}
    >
      <span aria-hidden="true">{shown}</span>
      <span className="sr-only">{`${name}: ${spoken}`}</span>
    </span>
  );
}
