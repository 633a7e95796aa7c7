/** A member in a mark: initials on a colour of its own, and whether it is there. */
import type { Presence } from '#protocol/presence.ts';
import { cx } from './class-names.ts';

const hues = [12, 38, 88, 152, 188, 214, 262, 312];

const hueOf = (name: string): number =>
  hues[[...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) >>> 0, 7) % hues.length] ??
  214;

export function Avatar({ name, size = 'normal' }: { name: string; size?: 'small' | 'normal' | 'large' }) {
  const hue = hueOf(name);
  const side = { small: 'size-5 text-[10px]', normal: 'size-7 text-xs', large: 'size-10 text-base' }[size];
  return (
    <span
      aria-hidden="true"
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-md font-semibold uppercase',
        side,
      )}
      style={{ background: `oklch(0.88 0.06 ${hue})`, color: `oklch(0.32 0.09 ${hue})` }}
    >
      {name.slice(0, 2)}
    </span>
  );
}

export type PresenceState = 'working' | 'here' | 'away';

export const presenceState = (presence: Presence | undefined): PresenceState =>
  presence === undefined || presence.connected === 0 ? 'away' : presence.busy ? 'working' : 'here';

const shape: Record<PresenceState, string> = {
  working: 'bg-caution',
  here: 'bg-positive',
  away: 'border border-faint',
};
const word: Record<PresenceState, string> = { working: 'working', here: 'here', away: 'away' };

/** Dot and word; `isCompact` keeps the word for screen readers only. */
export function PresenceMark({
  presence,
  isCompact = false,
}: {
  presence: Presence | undefined;
  isCompact?: boolean;
}) {
  const state = presenceState(presence);
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-soft">
      <span className={cx('status-dot size-2 rounded-full', shape[state])} aria-hidden="true" />
      <span className={isCompact ? 'sr-only' : undefined}>{word[state]}</span>
    </span>
  );
}
