/** The run menu of the desktop app: recent runs, a form for a new run, and the running agents. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bot, Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { DesktopBridge, RecentAgent } from '../../../electron/bridge.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { AgentPanel } from './agent-panel.tsx';
import { AgentRow } from './agent-row.tsx';
import { agentsStore, useAgents } from './agents-store.ts';
import { RecentRuns } from './recent-runs.tsx';
import { RunForm } from './run-form.tsx';

export function RunMenu({ bridge }: { bridge: DesktopBridge }) {
  const { list, error } = useAgents(bridge);
  const { run } = useSearch({ from: '/app/agents' });
  const navigate = useNavigate({ from: '/app/agents' });
  const [form, setForm] = useState<{ from: RecentAgent | null } | null>(null);
  useEffect(() => agentsStore(bridge).load(), [bridge]);
  const open = (id: string | undefined) => void navigate({ search: { run: id }, replace: true });
  const shown = list?.agents.find(({ id }) => id === run);
  return (
    <>
      <Section
        title="On this computer"
        actions={
          <Button look="primary" size="small" onClick={() => setForm({ from: null })}>
            <Play className="size-3.5" />
            Run an agent
          </Button>
        }
      >
        {error !== null && list === null ? (
          <ErrorState error={error} onRetry={() => agentsStore(bridge).load()} />
        ) : null}
        {list === null && error === null ? <ListSkeleton rows={3} /> : null}
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
          <RecentRuns
            bridge={bridge}
            recent={list.recent}
            onStarted={open}
            onChange={(from) => setForm({ from })}
          />
        ) : null}
      </Section>
      {shown === undefined ? null : <AgentPanel bridge={bridge} agent={shown} />}
      <Dialog
        isOpen={form !== null}
        onClose={() => setForm(null)}
        title="Run an agent"
        description="The agent works in a folder on this computer, as a member of the team."
        wide
      >
        {form === null ? null : (
          <RunForm
            bridge={bridge}
            from={form.from}
            onCancel={() => setForm(null)}
            onStarted={(id) => {
              setForm(null);
              open(id);
            }}
          />
        )}
      </Dialog>
    </>
  );
}
