/** The filter of the objectives, and how they are arranged. */
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import type { ObjectiveView } from '../../data/objective-view.rules.ts';
import { SearchInput } from '../../ui/field.tsx';
import { type Options, Select } from '../../ui/select.tsx';
import { nameOfStatus } from '../../ui/status-icon.tsx';
import { statusOf, usualGroup } from './arrangement.rules.ts';

const className = 'shrink-0 max-w-72 max-sm:h-11';

const statuses: Options = [
  { value: 'any', text: 'Any status' },
  { value: 'open', text: 'Open' },
  ...objectiveStatuses.map((one) => ({ value: one, text: nameOfStatus(one) })),
];
const groupings: Options = [
  { value: 'none', text: 'No groups' },
  { value: 'status', text: 'Group by status' },
  { value: 'assignee', text: 'Group by assignee' },
  { value: 'originator', text: 'Group by originator' },
];
const sortings: Options = [
  { value: 'created', text: 'Newest first' },
  { value: 'updated', text: 'Last updated first' },
  { value: 'title', text: 'By title' },
];

export interface ObjectiveFiltersProps {
  search: ObjectiveView;
  /** The names to choose from. */
  members: readonly string[];
  /** Receives the field that changed; undefined clears it. */
  onChange: (change: Partial<ObjectiveView>) => void;
}

export function ObjectiveFilters({ search, members, onChange }: ObjectiveFiltersProps) {
  const { view, q, assignee, originator, group, sort = 'created' } = search;
  const names = members.map((name) => ({ value: name, text: name }));
  return (
    <>
      <SearchInput
        label="Filter objectives"
        value={q ?? ''}
        onText={(text) => onChange({ q: text || undefined })}
        className="w-56 max-sm:h-11 max-sm:w-full"
      />
      <div className="contents gap-2 overflow-x-auto p-0.5 max-sm:-mx-0.5 max-sm:flex max-sm:w-full">
        <Select
          label="Status"
          value={statusOf(search) ?? 'any'}
          options={statuses}
          onChoose={(status) => onChange({ status: status as ObjectiveView['status'] })}
          className={className}
        />
        <Select
          label="Assignee"
          value={assignee ?? ''}
          options={[{ value: '', text: 'Any assignee' }, ...names]}
          onChoose={(name) => onChange({ assignee: name || undefined })}
          className={className}
        />
        <Select
          label="Originator"
          value={originator ?? ''}
          options={[{ value: '', text: 'Any originator' }, ...names]}
          onChoose={(name) => onChange({ originator: name || undefined })}
          className={className}
        />
        {view === 'board' ? null : (
          <Select
            label="Group by"
            value={group ?? usualGroup(search)}
            options={groupings}
            onChoose={(by) => onChange({ group: by as ObjectiveView['group'] })}
            className={className}
          />
        )}
        <Select
          label="Sort by"
          value={sort}
          options={sortings}
          onChoose={(by) => onChange({ sort: by === 'created' ? undefined : (by as ObjectiveView['sort']) })}
          className={className}
        />
      </div>
    </>
  );
}
