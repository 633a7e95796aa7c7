/** The filter of a timeline: member, kind, objective, and time. */
import { activityKinds } from '#protocol/vocabulary.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { filterClass } from '../../ui/field.tsx';
import { MemberOptions } from '../../ui/member-options.tsx';
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
    <select
      aria-label="Objective"
      value={filter.objective ?? ''}
      onChange={(event) => onFilter({ objective: event.target.value || undefined })}
      className={filterClass}
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
      className={filterClass}
    >
      <option value="">Any time</option>
      {from === undefined ? null : <option value={String(from)}>Custom range</option>}
      <option value={daysAgo(1)}>Last day</option>
      <option value={daysAgo(7)}>Last week</option>
      <option value={daysAgo(30)}>Last month</option>
    </select>
  );
}

/** Failures are found by their arrival, in which there are no times and no objectives. */
const isByTime = ({ member, failed }: ActivityFilter): boolean => member !== undefined && failed !== true;

export function ActivityFilters({ filter, maySeeAll, members, onFilter }: ActivityFiltersProps) {
  const { member } = filter;
  const none = { objective: undefined, from: undefined };
  return (
    <>
      <select
        aria-label="Member"
        value={member ?? ''}
        onChange={({ target: { value } }) =>
          onFilter({
            member: value || undefined,
            row: undefined,
            of: undefined,
            objective: undefined,
            ...(value === '' && none),
          })
        }
        className={filterClass}
      >
        {maySeeAll ? <option value="">Everybody</option> : null}
        <MemberOptions members={members.map((name) => ({ name }))} />
      </select>
      <select
        aria-label="Kind"
        value={filter.kind ?? ''}
        onChange={(event) => onFilter({ kind: event.target.value || undefined })}
        className={filterClass}
      >
        <option value="">Everything</option>
        {activityKinds.map((kind) => (
          <option key={kind} value={kind}>
            {labelByKind[kind].label}
          </option>
        ))}
      </select>
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
