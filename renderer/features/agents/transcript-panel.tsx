/** One agent beside the table, or in its place on a narrow screen: its state, the actions on it, and its live transcript. */
import { Link } from '@tanstack/react-router';
import { ArrowLeft, MessageSquare, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { formatScope } from '#protocol/scope.ts';
import { useEscape } from '../../commands/escape.ts';
import { relationsToMember } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { shortCount } from '../../data/token-usage.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { buttonClass, IconButton, linkClass } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { NeedsHere } from '../inbox/needs-here.tsx';
import { AgentStateMark } from './agent-state-mark.tsx';
import { contextTokens } from './fleet.rules.ts';
import { InterruptRun } from './interrupt-run.tsx';
import { StopRun } from './stop-run.tsx';
import { Transcript } from './transcript.tsx';
import type { FleetAgent } from './use-fleet.ts';

function CurrentObjective({ agent: { objectives } }: { agent: FleetAgent }) {
  const [current, ...others] = objectives;
  if (current === undefined) return <p className="text-faint">No open objective</p>;
  return (
    <p title={current.title} className="truncate">
      <Link to="/app/objectives/$id" params={{ id: current.id }} className={linkClass}>
        {current.title}
      </Link>
      {current.status === 'blocked' ? <span className="text-soft"> (blocked)</span> : null}
      {others.length === 0 ? null : <span className="text-soft"> and {others.length} more</span>}
    </p>
  );
}

function Facts({ agent }: { agent: FleetAgent }) {
  const run = agent.presence?.run;
  const context = contextTokens(agent);
  return (
    <p className="flex flex-wrap gap-x-3 text-sm text-soft max-sm:hidden">
      {run === undefined ? null : (
        <span className="wrap-anywhere">
          {run.agent} on {run.host} since <Time at={run.since} />
        </span>
      )}
      {context === null ? null : <span>{shortCount.format(context)} tokens in its context</span>}
    </p>
  );
}

export interface TranscriptPanelProps {
  name: string;
  /** Undefined while it is being loaded, and for a member that is no agent. */
  agent: FleetAgent | undefined;
  /** False until the agents are loaded. */
  isKnown: boolean;
  onClose: () => void;
}

export function TranscriptPanel({ name, agent, isKnown, onClose }: TranscriptPanelProps) {
  const mayRead = useMay('activityTranscript', relationsToMember(name, useSelf().member));
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  useEscape(onClose);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={`Transcript of ${name}`}
      className="flex min-w-0 flex-1 flex-col bg-surface outline-none"
    >
      <header className="flex shrink-0 flex-col gap-1 border-b border-line px-4 py-2">
        <div className="flex min-w-0 items-center gap-2">
          <IconButton label="Back to the agents" className="-ml-2 lg:hidden" onClick={onClose}>
            <ArrowLeft />
          </IconButton>
          <Avatar name={name} size="small" />
          <h2 className="max-w-1/2 shrink-0 font-semibold">
            <Link to="/app/admin/people" search={{ member: name }} className="hover:underline">
              {name}
            </Link>
          </h2>
          {agent === undefined ? null : (
            <p className="min-w-0 truncate" title={agent.state.word}>
              <AgentStateMark state={agent.state} />
            </p>
          )}
          <span className="flex-1" />
          <IconButton label="Close the transcript" className="-mr-2 max-lg:hidden" onClick={onClose}>
            <X />
          </IconButton>
        </div>
        <NeedsHere names={agent && [name]} hasSigns={(agent?.stuck.length ?? 0) > 0} />
        {agent?.stuck.map((sign) => (
          <p key={sign} className="text-sm text-critical">
            {sign}
          </p>
        ))}
        {agent === undefined ? null : (
          <>
            <CurrentObjective agent={agent} />
            <Facts agent={agent} />
          </>
        )}
        <div className="flex flex-wrap items-center gap-1.5 py-1">
          <Link
            to="/app/conversations/$scope"
            params={{ scope: formatScope({ kind: 'direct', member: name }) }}
            aria-label={`Message ${name}`}
            className={buttonClass('secondary', 'small')}
          >
            <MessageSquare className="size-3.5 max-sm:hidden" aria-hidden="true" />
            Message
          </Link>
          <InterruptRun
            member={name}
            run={agent?.presence?.run}
            isWorking={agent?.state.kind === 'working'}
          />
          <StopRun member={name} run={agent?.presence?.run} />
          {mayRead ? (
            <Link to="/app/activity" search={{ member: name }} className={buttonClass('quiet', 'small')}>
              Its activity
            </Link>
          ) : null}
        </div>
      </header>
      {isKnown && agent === undefined ? (
        <p className="p-4 text-soft">{name} is not an agent of this team.</p>
      ) : mayRead ? (
        <Transcript member={name} />
      ) : (
        <p className="p-4 text-soft">Only members who may see all activity see the transcript of {name}.</p>
      )}
    </section>
  );
}
