/** The run menu of the desktop app: the running agents and the recent runs. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { DesktopBridge, RecentAgent } from '../../../electron/bridge.ts';
import { Section } from '../../ui/page.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { AgentPanel } from './agent-panel.tsx';
import { AgentRow } from './agent-row.tsx';
import { agentsStore, useAgents } from './agents-store.ts';
import { RecentRuns } from './recent-runs.tsx';
import { RunDialog } from './run-agent.tsx';

export function RunMenu({ bridge }: { bridge: DesktopBridge }) {
  const { list, error } = useAgents(bridge);
  const { run } = useSearch({ from: '/app/agents' });
  const navigate = useNavigate({ from: '/app/agents' });
  const [changed, setChanged] = useState<RecentAgent | null>(null);
  useEffect(() => agentsStore(bridge).load(), [bridge]);
  const open = (id: string | undefined) => void navigate({ search: { run: id }, replace: true });
  const shown = list?.agents.find(({ id }) => id === run);
  return (
    <>
      <Section title="On this computer">
        {list === null ? (
          <NotLoaded error={error} onRetry={() => agentsStore(bridge).load()} rows={3} />
        ) : null}
        {list?.agents.length === 0 ? (
          <EmptyState icon={<Bot />} title="No agents are running">
            An agent works in a folder on this computer as a member of the team. It gets the team’s messages
            and tools, and its activity is recorded.
          </EmptyState>
        ) : null}
        <ul aria-label="Agents on this computer">
          {list?.agents.map((agent) => (
            <AgentRow
              key={agent.id}
              bridge={bridge}
              agent={agent}
              isOpen={agent.id === run}
              onOpen={() => open(agent.id === run ? undefined : agent.id)}
              onRestarted={open}
            />
          ))}
        </ul>
        {list !== null && list.recent.length > 0 ? (
          <RecentRuns bridge={bridge} recent={list.recent} onStarted={open} onChange={setChanged} />
        ) : null}
      </Section>
      {shown === undefined ? null : <AgentPanel bridge={bridge} agent={shown} />}
      <RunDialog bridge={bridge} isOpen={changed !== null} from={changed} onClose={() => setChanged(null)} />
    </>
  );
}
