/** The filter of the objectives, and how they are arranged. */
import { useState } from 'react';
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import type { ObjectiveView } from '../../data/objective-view.rules.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { SearchInput } from '../../ui/field.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { type Options, Select } from '../../ui/select.tsx';
import { nameOfStatus } from '../../ui/status-icon.tsx';
import { statusOf, usualGroup } from './arrangement.rules.ts';

const className = 'shrink-0 max-w-72 max-sm:h-11 max-sm:max-w-full';

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
  const [isUnfolded, setUnfolded] = useState(assignee !== undefined || originator !== undefined);
  /** On a phone, these are shown on request. */
  const further = cx(className, !isUnfolded && 'max-sm:hidden');
  const names = useMemberOptions(members.map((name) => ({ name })));
  return (
    <>
      <SearchInput
        label="Filter objectives"
        value={q ?? ''}
        onText={(text) => onChange({ q: text || undefined })}
        className="w-56 max-sm:h-11 max-sm:w-full"
      />
      <div className="contents max-sm:grid max-sm:w-full max-sm:grid-cols-2 max-sm:gap-2">
        <Select
          label="Status"
          value={statusOf(search) ?? 'any'}
          options={statuses}
          onChoose={(status) => onChange({ status: status as ObjectiveView['status'] })}
          className={className}
        />
        <Button
          aria-expanded={isUnfolded}
          className="sm:hidden max-sm:h-11"
          onClick={() => setUnfolded(!isUnfolded)}
        >
          {isUnfolded ? 'Fewer filters' : 'More filters'}
        </Button>
        <Select
          label="Assignee"
          value={assignee ?? ''}
          options={[{ value: '', text: 'Any assignee' }, ...names]}
          onChoose={(name) => onChange({ assignee: name || undefined })}
          className={further}
        />
        <Select
          label="Originator"
          value={originator ?? ''}
          options={[{ value: '', text: 'Any originator' }, ...names]}
          onChoose={(name) => onChange({ originator: name || undefined })}
          className={further}
        />
        {view === 'board' ? null : (
          <Select
            label="Group by"
            value={group ?? usualGroup(search)}
            options={groupings}
            onChoose={(by) => onChange({ group: by as ObjectiveView['group'] })}
            className={further}
          />
        )}
        <Select
          label="Sort by"
          value={sort}
          options={sortings}
          onChoose={(by) => onChange({ sort: by === 'created' ? undefined : (by as ObjectiveView['sort']) })}
          className={further}
        />
      </div>
    </>
  );
}
