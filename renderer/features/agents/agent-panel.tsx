/** The output of one agent: its transcript and the log of its run, live, with the newest lines of both. */

import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { boundMarks } from '#protocol/combining-marks.ts';
import type { AgentLineView, AgentView, DesktopBridge } from '../../../electron/bridge.ts';
import { agentName } from '../../../runner/agents/agent-kinds.ts';
import { linkClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { useFollowEnd } from '../../ui/follow-end.ts';
import { Section } from '../../ui/page.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { agentsStore, useAgents } from './agents-store.ts';

export function AgentPanel({ bridge, agent }: { bridge: DesktopBridge; agent: AgentView }) {
  const { id, member, folder, args, startedAt, logPath } = agent;
  const { lines } = useAgents(bridge);
  const [tab, setTab] = useState('transcript');
  useEffect(() => agentsStore(bridge).follow(id), [bridge, id]);
  return (
    <Section
      title={`${member}: ${agent.agent ?? agentName(agent.kind, agent.program)}`}
      actions={
        <Link
          to="/app/activity"
          search={{ member }}
          aria-label={`Activity of ${member}`}
          className={cx(linkClass, 'text-sm')}
        >
          Activity
        </Link>
      }
    >
      <p className="px-4 pt-2 text-sm text-soft [overflow-wrap:anywhere]">
        Started <Time at={startedAt} /> in <code className="font-mono">{folder}</code>
        {args.length === 0 ? null : (
          <>
            {' '}
            with <code className="font-mono">{args.join(' ')}</code>
          </>
        )}
      </p>
      <div className="px-4 pt-1 pb-3">
        <Tabs
          label={`Output of ${member}`}
          value={tab}
          onChange={setTab}
          tabs={(['transcript', 'log'] as const).map((source) => ({
            value: source,
            label: source === 'transcript' ? 'Transcript' : 'Log',
            content: (
              <Lines
                name={`${source === 'transcript' ? 'Transcript' : 'Log'} of ${member}`}
                lines={lines.filter((line) => line.source === source)}
                empty={
                  source === 'transcript'
                    ? 'No output yet. Send the agent a message in a conversation to start its work.'
                    : 'No entries yet.'
                }
                note={
                  source === 'log' && logPath !== null ? (
                    <>
                      The full log is in <code className="font-mono">{logPath}</code>
                    </>
                  ) : null
                }
              />
            ),
          }))}
        />
      </div>
    </Section>
  );
}

interface LinesProps {
  name: string;
  lines: readonly AgentLineView[];
  empty: string;
  note: ReactNode;
}

function Lines({ name, lines, empty, note }: LinesProps) {
  const { box, onScroll } = useFollowEnd(lines.at(-1)?.n);
  if (lines.length === 0) return <p className="text-soft">{empty}</p>;
  return (
    <>
      <div
        ref={box}
        {...scrollable(name)}
        onScroll={onScroll}
        className="max-h-96 overflow-y-auto rounded-md border border-line bg-sunken p-2 font-mono text-sm"
      >
        {lines.map(({ n, text }) => (
          <p key={n} className="min-h-5 whitespace-pre-wrap">
            {boundMarks(text)}
          </p>
        ))}
      </div>
      {note === null ? null : <p className="pt-2 text-sm text-soft [overflow-wrap:anywhere]">{note}</p>}
    </>
  );
}
