/** The choice of a beginning in the filter of a list. */
import { filterClass, Select } from './select.tsx';

const dayMs = 86_400_000;
const daysAgo = (days: number): string => String(Date.now() - days * dayMs);

export interface TimeSelectProps {
  /** In epoch ms; undefined for any time. */
  from: number | undefined;
  onFrom(from: number | undefined): void;
}

export function TimeSelect({ from, onFrom }: TimeSelectProps) {
  return (
    <Select
      label="Time"
      value={from === undefined ? '' : String(from)}
      options={[
        { value: '', text: 'Any time' },
        ...(from === undefined ? [] : [{ value: String(from), text: 'Custom range' }]),
        { value: daysAgo(1), text: 'Last day' },
        { value: daysAgo(7), text: 'Last week' },
        { value: daysAgo(30), text: 'Last month' },
      ]}
      onChoose={(time) => onFrom(time === '' ? undefined : Number(time))}
      className={filterClass}
    />
  );
}
