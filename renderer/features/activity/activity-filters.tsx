/** The filter of a timeline: member, kind, objective, and time. */
import { activityKinds } from '#protocol/vocabulary.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { filterClass, Select } from '../../ui/select.tsx';
import { labelByKind } from './activity-kinds.ts';

export interface ActivityFilter {
  /** Undefined for everybody. */
  member?: string | undefined;
  kind?: string | undefined;
  /** Only what failed. */
  failed?: boolean | undefined;
  objective?: string | undefined;
  /** In epoch ms. */
  from?: number | undefined;
}

export interface ActivityFiltersProps {
  filter: ActivityFilter;
  /** Whether the reader may see everybody. */
  maySeeAll: boolean;
  /** The names to choose from. */
  members: readonly string[];
  /** Receives the field that changed; undefined clears it. Changing the member also closes the open row. */
  onFilter: (change: Partial<ActivityFilter> & { row?: undefined; of?: undefined }) => void;
}

const dayMs = 86_400_000;
const daysAgo = (days: number): string => String(Date.now() - days * dayMs);

function ObjectiveSelect({
  filter,
  member,
  onFilter,
}: Pick<ActivityFiltersProps, 'filter' | 'onFilter'> & { member: string }) {
  const { objectives = [] } = useObjectiveList({ assignee: member });
  const chosen = filter.objective;
  const chosenTitle = useObjectiveTitle(chosen);
  return (
    <Select
      label="Objective"
      value={chosen ?? ''}
      options={[
        { value: '', text: 'Any objective' },
        ...(chosen === undefined || objectives.some(({ id }) => id === chosen)
          ? []
          : [{ value: chosen, text: chosenTitle ?? chosen }]),
        ...objectives.map(({ id, title }) => ({ value: id, text: title })),
      ]}
      onChoose={(objective) => onFilter({ objective: objective || undefined })}
      className={filterClass}
    />
  );
}

function TimeSelect({
  from,
  onFilter,
}: { from: number | undefined } & Pick<ActivityFiltersProps, 'onFilter'>) {
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
      onChoose={(time) => onFilter({ from: time === '' ? undefined : Number(time) })}
      className={filterClass}
    />
  );
}

/** Failures are found by their arrival, in which there are no times and no objectives. */
const isByTime = ({ member, failed }: ActivityFilter): boolean => member !== undefined && failed !== true;

export function ActivityFilters({ filter, maySeeAll, members, onFilter }: ActivityFiltersProps) {
  const { member } = filter;
  const none = { objective: undefined, from: undefined };
  const options = useMemberOptions(members.map((name) => ({ name })));
  return (
    <>
      <Select
        label="Member"
        value={member ?? ''}
        options={maySeeAll ? [{ value: '', text: 'Everybody' }, ...options] : options}
        onChoose={(name) =>
          onFilter({
            member: name || undefined,
            row: undefined,
            of: undefined,
            objective: undefined,
            ...(name === '' && none),
          })
        }
        className={filterClass}
      />
      <Select
        label="Kind"
        value={filter.kind ?? ''}
        options={[
          { value: '', text: 'Everything' },
          ...activityKinds.map((kind) => ({ value: kind, text: labelByKind[kind].label })),
        ]}
        onChoose={(kind) => onFilter({ kind: kind || undefined })}
        className={filterClass}
      />
      {isByTime(filter) && member !== undefined ? (
        <>
          <ObjectiveSelect filter={filter} member={member} onFilter={onFilter} />
          <TimeSelect from={filter.from} onFilter={onFilter} />
        </>
      ) : null}
      <label className="flex h-8 items-center gap-1.5">
        <input
          type="checkbox"
          checked={filter.failed === true}
          onChange={({ target: { checked } }) =>
            onFilter({ failed: checked || undefined, ...(checked && none) })
          }
          className="accent-(--accent)"
        />
        Only what failed
      </label>
    </>
  );
}
