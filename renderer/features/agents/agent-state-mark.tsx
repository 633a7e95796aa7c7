/** The state of an agent in words; the dot only repeats it. */
import { cx } from '../../ui/class-names.ts';
import type { AgentState } from './fleet.rules.ts';

const dotByTone: Record<AgentState['tone'], string> = {
  neutral: 'border border-faint',
  positive: 'bg-positive',
  caution: 'bg-caution',
  critical: 'bg-critical',
};

export function AgentStateMark({ state: { tone, word } }: { state: AgentState }) {
  return (
    <>
      <span
        aria-hidden="true"
        className={cx('status-dot mr-2 inline-block size-2 rounded-full', dotByTone[tone])}
      />
      <span className={tone === 'critical' ? 'text-critical' : undefined}>{word}</span>
    </>
  );
}
