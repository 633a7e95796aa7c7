/** The filter of the objectives, and how they are arranged. */
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import type { ObjectiveView } from '../../data/objective-view.rules.ts';
import { filterClass, SearchInput } from '../../ui/field.tsx';
import { nameOfStatus } from '../../ui/status-icon.tsx';
import { statusOf, usualGroup } from './arrangement.rules.ts';

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
      className={`${filterClass} shrink-0 max-sm:h-11`}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

const statuses: ChoiceProps['options'] = [
  ['any', 'Any status'],
  ['open', 'Open'],
  ...objectiveStatuses.map((one) => [one, nameOfStatus(one)] as const),
];
const groupings: ChoiceProps['options'] = [
  ['none', 'No groups'],
  ['status', 'Group by status'],
  ['assignee', 'Group by assignee'],
  ['originator', 'Group by originator'],
];
const sortings: ChoiceProps['options'] = [
  ['created', 'Newest first'],
  ['updated', 'Last updated first'],
  ['title', 'By title'],
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
  const names = members.map((name) => [name, name] as const);
  return (
    <>
      <SearchInput
        label="Filter objectives"
        value={q ?? ''}
        onText={(text) => onChange({ q: text || undefined })}
        className="w-56 max-sm:h-11 max-sm:w-full"
      />
      <div className="contents gap-2 overflow-x-auto p-0.5 max-sm:-mx-0.5 max-sm:flex max-sm:w-full">
        <Choice
          label="Status"
          value={statusOf(search) ?? 'any'}
          options={statuses}
          onChoose={(status) => onChange({ status: status as ObjectiveView['status'] })}
        />
        <Choice
          label="Assignee"
          value={assignee ?? ''}
          options={[['', 'Any assignee'], ...names]}
          onChoose={(name) => onChange({ assignee: name || undefined })}
        />
        <Choice
          label="Originator"
          value={originator ?? ''}
          options={[['', 'Any originator'], ...names]}
          onChoose={(name) => onChange({ originator: name || undefined })}
        />
        {view === 'board' ? null : (
          <Choice
            label="Group by"
            value={group ?? usualGroup(search)}
            options={groupings}
            onChoose={(by) => onChange({ group: by as ObjectiveView['group'] })}
          />
        )}
        <Choice
          label="Sort by"
          value={sort}
          options={sortings}
          onChoose={(by) => onChange({ sort: by === 'created' ? undefined : (by as ObjectiveView['sort']) })}
        />
      </div>
    </>
  );
}
