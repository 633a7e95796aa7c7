/** The filter of the objectives: text, status, and assignee. */
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import { nameOfStatus } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { inputClass, SearchInput } from '../../ui/field.tsx';
import type { ObjectiveFilter } from './objective-filter.ts';

export interface ObjectiveFiltersProps {
  filter: ObjectiveFilter;
  /** The names to choose from. */
  assignees: readonly string[];
  /** Receives the field that changed; undefined clears it. */
  onFilter: (change: Partial<ObjectiveFilter>) => void;
}

export function ObjectiveFilters({
  filter: { q, status, assignee },
  assignees,
  onFilter,
}: ObjectiveFiltersProps) {
  return (
    <>
      <SearchInput
        label="Filter objectives"
        value={q ?? ''}
        onText={(text) => onFilter({ q: text || undefined })}
        className="w-56 max-sm:w-full"
      />
      <select
        aria-label="Status"
        value={status ?? ''}
        onChange={(event) => onFilter({ status: (event.target.value || undefined) as typeof status })}
        className={cx(inputClass, 'h-8')}
      >
        <option value="">Any status</option>
        <option value="open">Open</option>
        {objectiveStatuses.map((one) => (
          <option key={one} value={one}>
            {nameOfStatus(one)}
          </option>
        ))}
      </select>
      <select
        aria-label="Assignee"
        value={assignee ?? ''}
        onChange={(event) => onFilter({ assignee: event.target.value || undefined })}
        className={cx(inputClass, 'h-8')}
      >
        <option value="">Anyone</option>
        {assignees.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </>
  );
}
