/** The avatar of a member: initials on a color of the member's own, round for a person and square for an agent, and the presence. */
import type { CSSProperties } from 'react';
import { refusalText } from '#protocol/model-refusal-text.ts';
import type { Presence } from '#protocol/presence.ts';
import { type PresenceState, presenceState } from '#protocol/presence-state.ts';
import { cx } from './class-names.ts';
import { useIsAgent } from './kind.tsx';
import { clockTime } from './time.tsx';

const hues = [12, 38, 62, 88, 120, 152, 188, 214, 240, 268, 296, 336];

function hueOf(name: string): number {
  const sum = [...name].reduce((all, sign) => (Math.imul(all, 31) + (sign.codePointAt(0) ?? 0)) >>> 0, 7);
  // Names of the same length and alphabet have similar sums; mixing spreads the hues.
  const mixed = Math.imul(sum ^ (sum >>> 15), 0x85ebca6b) >>> 16;
  return hues[mixed % hues.length] ?? 214;
}

export function Avatar({ name, size = 'normal' }: { name: string; size?: 'small' | 'normal' }) {
  const side = { small: 'size-5 text-[10px]', normal: 'size-7 text-xs' }[size];
  return (
    <span
      aria-hidden="true"
      className={cx(
        'avatar inline-flex shrink-0 items-center justify-center font-semibold uppercase',
        useIsAgent(name) ? 'rounded-sm outline-1 outline-line-strong outline-dashed' : 'rounded-full',
        side,
      )}
      style={{ '--hue': hueOf(name) } as CSSProperties}
    >
      {name.slice(0, 2)}
    </span>
  );
}

/** `refused` counts as attention: messages wait until somebody or something changes. */
const wordOf = (state: PresenceState, presence: Presence | undefined): string =>
  state === 'refused' && presence?.model !== undefined
    ? `model refusing: ${refusalText(presence.model, clockTime)}`
    : state;

const shape: Record<PresenceState, string> = {
  refused: 'bg-critical',
  working: 'bg-caution',
  online: 'bg-positive',
  'not responding': 'bg-critical',
  'out of reach': 'bg-critical',
  offline: 'border border-faint',
};

/** Dot and word; with `isCompact`, the word is for screen readers only. */
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
      <span className={isCompact ? 'sr-only' : undefined}>{wordOf(state, presence)}</span>
    </span>
  );
}
