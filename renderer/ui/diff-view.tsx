/** A unified diff. Signs, words for screen readers, and a line at the edge tell what changed; the color only repeats it. */
import { useMemo, useState } from 'react';
import { boundMarks } from '#protocol/combining-marks.ts';
import { counted } from '#protocol/counted.ts';
import { Button } from './button.tsx';
import { cx } from './class-names.ts';
import { CopyIconButton } from './copy-button.tsx';
import { type DiffLine, linesOfDiff } from './diff.rules.ts';
import { scrollable } from './scrollable.ts';

const shownLines = 500;

const signOf = { added: '+', removed: '-', same: ' ', place: '', file: '' } as const;
const classOf = {
  added: 'border-positive bg-positive-soft',
  removed: 'border-critical bg-critical-soft',
  same: 'border-transparent',
  place: 'border-transparent text-info',
  file: 'border-transparent font-semibold',
} as const;
const elementOf = { added: 'ins', removed: 'del', same: 'span', place: 'span', file: 'span' } as const;

function Line({ line, hasNumbers }: { line: DiffLine; hasNumbers: boolean }) {
  const { kind, text, before, after } = line;
  const Element = elementOf[kind];
  return (
    <Element
      className={cx('flex w-max min-w-full border-l-3 pr-9 whitespace-pre no-underline', classOf[kind])}
    >
      {hasNumbers ? (
        <span aria-hidden="true" className="flex shrink-0 text-right text-faint select-none">
          <span className="w-9 pr-1">{before}</span>
          <span className="w-9 pr-1">{after}</span>
        </span>
      ) : null}
      <span>
        <span
          className={cx('inline-block pl-1', (kind === 'added' || kind === 'removed') && 'font-semibold')}
        >
          {signOf[kind]}
        </span>
        {text}
        {'\n'}
      </span>
    </Element>
  );
}

export interface DiffViewProps {
  /** A unified diff, or a part of one. */
  diff: string;
  /** The subject of the diff, for the accessible name. */
  label?: string;
  /** For the scrolling element, such as its maximum height. */
  className?: string;
}

/** Shows the first 500 lines, and the rest on request. */
export function DiffView({ diff, label = 'Diff', className }: DiffViewProps) {
  const lines = useMemo(() => linesOfDiff(boundMarks(diff)), [diff]);
  const [max, setMax] = useState(shownLines);
  const countOf = (wanted: DiffLine['kind']) => lines.filter(({ kind }) => kind === wanted).length;
  const hasNumbers = lines.some(({ before, after }) => before !== null || after !== null);
  const name = `${label}: ${counted(countOf('added'), 'line')} added, ${counted(countOf('removed'), 'line')} removed`;
  return (
    <div className="group/code relative my-1">
      <div
        dir="ltr"
        {...scrollable(name)}
        className={cx('overflow-auto rounded-md bg-sunken py-1 font-mono text-sm', className)}
      >
        {lines.slice(0, max).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the places of one text
          <Line key={index} line={line} hasNumbers={hasNumbers} />
        ))}
      </div>
      {lines.length > max ? (
        <Button size="small" look="quiet" onClick={() => setMax(max + 4 * shownLines)}>
          Show more of the {counted(lines.length, 'line')}
        </Button>
      ) : null}
      <CopyIconButton text={diff} label="Copy the diff" />
    </div>
  );
}
