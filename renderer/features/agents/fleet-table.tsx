/** The agents of the team as a table, one row each. A narrow screen has two lines per agent. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lastSeenOf } from '#protocol/presence-state.ts';
import { formatScope } from '#protocol/scope.ts';
import { shortCount } from '../../data/token-usage.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { cx } from '../../ui/class-names.ts';
import { openingLayer } from '../../ui/layers.ts';
import { onArrow } from '../../ui/rows.ts';
import { Time } from '../../ui/time.tsx';
import { AgentStateMark } from './agent-state-mark.tsx';
import { lastActionOf } from './fleet.rules.ts';
import type { FleetAgent } from './use-fleet.ts';

/** A cell has two lines, because its title cannot be read on a touchscreen. */
const wraps = 'lg:line-clamp-2 lg:whitespace-normal';

const line = 'grid items-center gap-x-3 border-b border-line px-4';
const twoLines = 'max-lg:grid-cols-[minmax(0,1fr)_fit-content(60%)] max-lg:py-1.5';
const columnsByLook = {
  all: 'lg:grid-cols-[minmax(0,16fr)_minmax(0,24fr)_minmax(0,28fr)_minmax(0,28fr)_5.5rem] xl:grid-cols-[minmax(0,17fr)_minmax(0,21fr)_minmax(0,26fr)_minmax(0,29fr)_5.5rem_minmax(0,13fr)]',
  withoutActivity: 'lg:grid-cols-[minmax(0,21fr)_minmax(0,22fr)_minmax(0,30fr)_minmax(0,13fr)]',
  few: 'lg:grid-cols-2',
};

/** `few`: beside a transcript. `withoutActivity`: for a reader who may see the activity of no agent. */
type Look = keyof typeof columnsByLook;

function ObjectiveWords({ agent: { objectives } }: { agent: FleetAgent }) {
  const [current, ...others] = objectives;
  if (current === undefined) return <span className="text-faint">No open objective</span>;
  return (
    <>
      {current.title}
      {current.status === 'blocked' ? <span className="text-soft"> (blocked)</span> : null}
      {others.length === 0 ? null : <span className="text-soft"> and {others.length} more</span>}
    </>
  );
}

function Cell({ title, className, children }: { title?: string; className?: string; children: ReactNode }) {
  return (
    <td title={title} className={cx('truncate', className)}>
      {children}
    </td>
  );
}

function LastActionCell({ agent, isSecondLine }: { agent: FleetAgent; isSecondLine: boolean }) {
  const [sign] = agent.stuck;
  const last = lastActionOf(agent);
  const narrow = isSecondLine ? 'max-lg:col-span-2 max-lg:text-sm' : 'max-lg:hidden';
  if (sign !== undefined)
    return (
      <Cell title={agent.stuck.join(' ')} className={cx(narrow, wraps, 'text-critical')}>
        {sign}
      </Cell>
    );
  return (
    <td className={cx(narrow, 'flex gap-2', last?.isFailed === true ? 'text-critical' : 'text-soft')}>
      {last === null ? null : (
        <>
          <span className={cx('min-w-0 flex-1 truncate', wraps)} title={last.words}>
            {last.words}
          </span>
          <span className="text-sm text-faint lg:max-xl:hidden">
            <Time at={last.at} />
          </span>
        </>
      )}
    </td>
  );
}

function Row({ agent, look, isOpen }: { agent: FleetAgent; look: Look; isOpen: boolean }) {
  const { name, role, state, stuck, objectives, presence, tokensToday } = agent;
  const run = presence?.run;
  const lastSeen = lastSeenOf(presence);
  const last = lastActionOf(agent);
  const isActionSecond = stuck.length > 0 || (last !== null && (last.isFailed || objectives.length === 0));
  return (
    <tr
      data-press
      className={cx(
        line,
        twoLines,
        columnsByLook[look],
        'relative min-h-11 focus-within:bg-selected hover:bg-hover lg:content-center lg:items-baseline lg:py-1.5',
        isOpen ? 'bg-selected' : 'bg-surface',
      )}
    >
      <th scope="row" className="flex items-baseline gap-2 text-left font-normal">
        <span className="flex self-center">
          <Avatar name={name} size="small" />
        </span>
        <Link
          to="/app/agents"
          search={(search) => ({ ...search, agent: name })}
          {...(look === 'few' ? { replace: true, state: true } : openingLayer)}
          data-row={name}
          title={name}
          className="max-w-[calc(100%-1.75rem)] min-h-0! shrink-0 truncate font-medium -outline-offset-2 after:absolute after:inset-0"
        >
          {name}
        </Link>
        {/* For a long press; the opened agent shows them. */}
        <span hidden data-actions>
          <Link
            to="/app/conversations/$scope"
            params={{ scope: formatScope({ kind: 'direct', member: name }) }}
          >{`Message ${name}`}</Link>
          <Link to="/app/activity" search={{ member: name }}>
            Its activity
          </Link>
        </span>
        <span title={role} className="min-w-0 truncate text-sm text-faint lg:max-xl:hidden">
          {role}
        </span>
      </th>
      <Cell title={state.word} className={cx('max-lg:text-sm', wraps)}>
        <AgentStateMark state={state} />
        {state.kind === 'offline' && typeof lastSeen === 'number' && look !== 'few' ? (
          <span className="text-sm text-faint max-lg:hidden">
            , seen <Time at={lastSeen} />
          </span>
        ) : null}
      </Cell>
      {look === 'few' ? null : (
        <Cell
          {...(objectives[0] !== undefined && { title: objectives[0].title })}
          className={cx(
            wraps,
            isActionSecond ? 'max-lg:hidden' : 'max-lg:col-span-2 max-lg:text-sm max-lg:text-soft',
          )}
        >
          <ObjectiveWords agent={agent} />
        </Cell>
      )}
      {look === 'all' ? (
        <>
          <LastActionCell agent={agent} isSecondLine={isActionSecond} />
          <Cell className="text-right tabular-nums max-lg:hidden">
            {tokensToday === undefined ? null : tokensToday === 0 ? (
              <span className="text-faint">–</span>
            ) : (
              shortCount.format(tokensToday)
            )}
          </Cell>
        </>
      ) : null}
      {look === 'few' ? null : (
        <Cell
          {...(run !== undefined && { title: `${run.agent} on ${run.host}` })}
          className={cx('pl-3 text-soft', look === 'all' ? 'max-xl:hidden' : 'max-lg:hidden')}
        >
          {run?.host}
        </Cell>
      )}
    </tr>
  );
}

const heading = 'truncate text-left font-medium';

export interface FleetTableProps {
  agents: readonly FleetAgent[];
  /** The name of the agent whose transcript is beside the table. */
  open: string | undefined;
}

/** Up and Down move, and Enter opens the transcript. */
export function FleetTable({ agents, open }: FleetTableProps) {
  const hasActivity = agents.some(({ tokensToday }) => tokensToday !== undefined);
  const look: Look = open !== undefined ? 'few' : hasActivity ? 'all' : 'withoutActivity';
  return (
    <table aria-label="Agents" className="block">
      <thead className="sticky top-0 z-10 block bg-sunken text-sm text-soft max-lg:sr-only">
        <tr className={cx(line, columnsByLook[look], 'h-9')}>
          <th scope="col" className={heading}>
            Agent
          </th>
          <th scope="col" className={heading}>
            State
          </th>
          {look === 'few' ? null : (
            <th scope="col" className={heading}>
              Objective
            </th>
          )}
          {look === 'all' ? (
            <>
              <th scope="col" className={heading}>
                Last action
              </th>
              <th scope="col" title="Since midnight UTC" className="text-right font-medium whitespace-nowrap">
                Tokens today
              </th>
            </>
          ) : null}
          {look === 'few' ? null : (
            <th scope="col" className={cx(heading, 'pl-3', look === 'all' && 'lg:max-xl:hidden')}>
              Host
            </th>
          )}
        </tr>
      </thead>
      <tbody onKeyDown={onArrow} className="block">
        {agents.map((agent) => (
          <Row key={agent.name} agent={agent} look={look} isOpen={agent.name === open} />
        ))}
      </tbody>
    </table>
  );
}
