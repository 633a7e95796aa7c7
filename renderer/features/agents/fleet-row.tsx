/** One agent of the team: its state in words, its objective, what it did last, and what it used. */
import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { lastSeenOf } from '#protocol/presence-state.ts';
import { formatScope } from '#protocol/scope.ts';
import { shortCount } from '../../data/token-usage.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { openingLayer } from '../../ui/layers.ts';
import { Time } from '../../ui/time.tsx';
import { gistOf } from '../activity/activity-gist.rules.ts';
import { contextTokens } from './fleet.rules.ts';
import { InterruptRun } from './interrupt-run.tsx';
import { StopRun } from './stop-run.tsx';
import type { FleetAgent } from './use-fleet.ts';

const buttonClass =
  'inline-flex h-7 items-center gap-1.5 rounded-md border border-line-strong px-2 hover:bg-hover';
const linkClass = 'text-accent underline underline-offset-2';

function Facts({ agent }: { agent: FleetAgent }) {
  const { presence, tokensToday } = agent;
  const context = contextTokens(agent);
  const lastSeen = lastSeenOf(presence);
  return (
    <p className="flex flex-wrap gap-x-3 text-sm text-soft">
      {presence?.run === undefined ? null : (
        <span className="[overflow-wrap:anywhere]">
          {presence.run.agent} on {presence.run.host} since <Time at={presence.run.since} />
        </span>
      )}
      {typeof lastSeen === 'number' ? (
        <span>
          last seen <Time at={lastSeen} />
        </span>
      ) : null}
      {tokensToday === undefined ? null : <span>{shortCount.format(tokensToday)} tokens today (UTC)</span>}
      {context === null ? null : <span>{shortCount.format(context)} tokens in its context</span>}
    </p>
  );
}

function LastAction({ agent }: { agent: FleetAgent }) {
  const last = agent.recent?.find(({ kind }) => kind === 'llm_exchange' || kind === 'opaque_http');
  if (last === undefined) return null;
  return (
    <p className="flex gap-2 text-sm">
      <Link
        to="/app/activity"
        search={{ member: agent.name, row: last.id }}
        className="min-w-0 flex-1 truncate text-soft hover:underline"
      >
        {gistOf(last, undefined)}
      </Link>
      <span className="text-faint">
        <Time at={last.ts} />
      </span>
    </p>
  );
}

function CurrentObjective({ agent }: { agent: FleetAgent }) {
  const [current, ...others] = agent.objectives;
  if (current === undefined) return <p className="text-sm text-faint">No open objective</p>;
  return (
    <p className="truncate text-sm">
      <Link to="/app/objectives/$id" params={{ id: current.id }} className={linkClass}>
        {current.title}
      </Link>
      {current.status === 'blocked' ? <span className="text-soft"> (blocked)</span> : null}
      {others.length === 0 ? null : <span className="text-soft"> and {others.length} more</span>}
    </p>
  );
}

export function FleetRow({ agent, isOpen }: { agent: FleetAgent; isOpen: boolean }) {
  const { name, role, state, stuck, recent } = agent;
  return (
    <li
      aria-label={name}
      className={cx(
        'flex gap-3 border-b border-line px-4 py-3 last:border-0 max-sm:flex-col',
        isOpen && 'bg-selected',
      )}
    >
      <div className="flex min-w-0 flex-1 gap-3">
        <Avatar name={name} size="large" />
        <div className="flex min-w-0 flex-1 flex-col gap-0.5">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Link to="/app/members/$name" params={{ name }} className="font-semibold hover:underline">
              {name}
            </Link>
            <span className="text-sm text-soft">{role}</span>
            <Badge tone={state.tone}>
              <span className="max-w-72 truncate max-sm:max-w-56" title={state.word}>
                {state.word}
              </span>
            </Badge>
            {stuck.length === 0 ? null : <Badge tone="critical">may be stuck</Badge>}
          </p>
          {stuck.map((sign) => (
            <p key={sign} className="text-sm text-critical">
              {sign}
            </p>
          ))}
          <CurrentObjective agent={agent} />
          <LastAction agent={agent} />
          <Facts agent={agent} />
        </div>
      </div>
      <div className="flex shrink-0 flex-wrap items-start gap-x-3 gap-y-2 text-sm">
        <Link
          to="/app/conversations/$scope"
          params={{ scope: formatScope({ kind: 'direct', member: name }) }}
          aria-label={`Message ${name}`}
          className={buttonClass}
        >
          <MessageSquare className="size-3.5" aria-hidden="true" />
          Message
        </Link>
        {recent === undefined ? null : (
          <Link
            to="/app/agents"
            search={(search) => ({ ...search, agent: name })}
            {...openingLayer}
            aria-label={`Transcript of ${name}`}
            className={buttonClass}
          >
            Transcript
          </Link>
        )}
        <InterruptRun member={name} run={agent.presence?.run} isWorking={agent.state.kind === 'working'} />
        <StopRun member={name} run={agent.presence?.run} />
      </div>
    </li>
  );
}
