/** The filter of a timeline: member, kind, objective, and time. */
import { activityKinds } from '#protocol/vocabulary.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { cx } from '../../ui/class-names.ts';
import { inputClass } from '../../ui/field.tsx';
import { labelByKind } from './activity-kinds.ts';

export interface ActivityFilter {
  member: string;
  kind?: string | undefined;
  objective?: string | undefined;
  /** In epoch ms. */
  from?: number | undefined;
}

export interface ActivityFiltersProps {
  filter: ActivityFilter;
  /** The names to choose from. */
  members: readonly string[];
  /** Receives the field that changed; undefined clears it. Changing the member also closes the open row. */
  onFilter: (change: Partial<ActivityFilter> & { row?: undefined }) => void;
}

const dayMs = 86_400_000;
const daysAgo = (days: number): string => String(Date.now() - days * dayMs);
const selectClass = cx(inputClass, 'h-8 max-sm:flex-1');

function ObjectiveSelect({ filter, onFilter }: Pick<ActivityFiltersProps, 'filter' | 'onFilter'>) {
  const { objectives = [] } = useObjectiveList({ assignee: filter.member });
  const chosen = filter.objective;
  const chosenTitle = useObjectiveTitle(chosen);
  return (
    <select
      aria-label="Objective"
      value={filter.objective ?? ''}
      onChange={(event) => onFilter({ objective: event.target.value || undefined })}
      className={cx(selectClass, 'max-w-56 max-sm:max-w-none')}
    >
      <option value="">Any objective</option>
      {chosen === undefined || objectives.some(({ id }) => id === chosen) ? null : (
        <option value={chosen}>{chosenTitle ?? chosen}</option>
      )}
      {objectives.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}

function TimeSelect({
  from,
  onFilter,
}: { from: number | undefined } & Pick<ActivityFiltersProps, 'onFilter'>) {
  return (
    <select
      aria-label="Time"
      value={from === undefined ? '' : String(from)}
      onChange={({ target: { value } }) => onFilter({ from: value === '' ? undefined : Number(value) })}
      className={selectClass}
    >
      <option value="">Any time</option>
      {from === undefined ? null : <option value={String(from)}>Custom range</option>}
      <option value={daysAgo(1)}>Last day</option>
      <option value={daysAgo(7)}>Last week</option>
      <option value={daysAgo(30)}>Last month</option>
    </select>
  );
}

export function ActivityFilters({ filter, members, onFilter }: ActivityFiltersProps) {
  return (
    <>
      <select
        aria-label="Member"
        value={filter.member}
        onChange={(event) => onFilter({ member: event.target.value, row: undefined })}
        className={selectClass}
      >
        {members.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="Kind"
        value={filter.kind ?? ''}
        onChange={(event) => onFilter({ kind: event.target.value || undefined })}
        className={selectClass}
      >
        <option value="">Everything</option>
        {activityKinds.map((kind) => (
          <option key={kind} value={kind}>
            {labelByKind[kind].label}
          </option>
        ))}
      </select>
      <ObjectiveSelect filter={filter} onFilter={onFilter} />
      <TimeSelect from={filter.from} onFilter={onFilter} />
    </>
  );
}
