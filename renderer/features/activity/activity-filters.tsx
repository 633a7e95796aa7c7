/** The filter of a timeline: member, kind, objective, and time. */
import { activityKinds } from '#protocol/vocabulary.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { filterClass, Select } from '../../ui/select.tsx';
import { TimeSelect } from '../../ui/time-select.tsx';
import { labelByKind } from './activity-kinds.ts';
import type { ActivityFilter } from './use-activity.ts';

interface ShownFilter extends Omit<ActivityFilter, 'to'> {
  /** Undefined for everybody. */
  member?: string | undefined;
}

export interface ActivityFiltersProps {
  filter: ShownFilter;
  /** Whether the reader may see everybody. */
  maySeeAll: boolean;
  /** The names to choose from. */
  members: readonly string[];
  /** Receives the field that changed; undefined clears it. Changing the member also closes the open row. */
  onFilter: (change: Partial<ShownFilter> & { row?: undefined; of?: undefined }) => void;
}

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

/** Failures are found by their arrival, in which there are no times and no objectives. */
const isByTime = ({ member, failed }: ShownFilter): boolean => member !== undefined && failed !== true;

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
          <TimeSelect from={filter.from} onFrom={(from) => onFilter({ from })} />
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
