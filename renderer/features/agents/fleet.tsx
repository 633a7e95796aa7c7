/** The agents of the team, those that need somebody first, and the transcript of one of them. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { lazyScreen } from '../../lazy-screen.ts';
import { cx } from '../../ui/class-names.ts';
import { useFocusBack } from '../../ui/focus-back.ts';
import { useClosingLayer } from '../../ui/layers.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { NeedsHere } from '../inbox/needs-here.tsx';
import { FleetTable } from './fleet-table.tsx';
import { RunAgent } from './run-agent.tsx';
import { RunMenu } from './run-menu.tsx';
import { TranscriptPanel } from './transcript-panel.tsx';
import { useFleet } from './use-fleet.ts';

const TokenChart = lazyScreen(() => import('./token-chart.tsx'), 'TokenChart');

const pageSize = 50;

export function Fleet() {
  const { agent: open } = useSearch({ from: '/app/agents' });
  const navigate = useNavigate({ from: '/app/agents' });
  const close = useClosingLayer();
  const [max, setMax] = useState(pageSize);
  const { agents, error, retry } = useFleet(max);
  const list = useRef<HTMLDivElement>(null);
  useFocusBack(list, open);
  const isAlone = open === undefined;
  const { muster } = window;
  return (
    <div className="flex h-full">
      <div
        ref={list}
        className={cx(
          'relative min-w-0 overflow-y-auto bg-surface',
          isAlone ? 'flex-1' : 'w-80 shrink-0 border-r border-line max-lg:hidden',
        )}
      >
        {muster !== undefined && isAlone ? (
          <div className="flex flex-col gap-4 border-b border-line p-4">
            <RunMenu bridge={muster} />
          </div>
        ) : null}
        {isAlone && agents !== undefined && agents.length > 0 ? (
          <NeedsHere
            names={agents.map(({ name }) => name)}
            hasSigns={agents.some(({ stuck }) => stuck.length > 0)}
            className="px-4 py-2"
          />
        ) : null}
        {agents === undefined ? <NotLoaded error={error} onRetry={retry} rows={3} /> : null}
        {agents?.length === 0 ? (
          <EmptyState icon={<Bot />} title="No agent has worked yet" action={<RunAgent />}>
            Run an agent on the machine that has its files. It appears here when it works as a member of the
            team.
          </EmptyState>
        ) : null}
        {agents === undefined || agents.length === 0 ? null : (
          <FleetTable agents={agents.slice(0, max)} open={open} />
        )}
        {agents !== undefined && agents.length > max ? (
          <LoadMore isLoading={false} onMore={() => setMax(max + pageSize)}>
            {max} of {agents.length} agents are shown.
          </LoadMore>
        ) : null}
        {isAlone ? (
          <Suspense fallback={null}>
            <TokenChart />
          </Suspense>
        ) : null}
      </div>
      {isAlone ? null : (
        <TranscriptPanel
          key={open}
          name={open}
          agent={agents?.find(({ name }) => name === open)}
          isKnown={agents !== undefined}
          onClose={() =>
            close(
              () => void navigate({ search: (search) => ({ ...search, agent: undefined }), replace: true }),
            )
          }
        />
      )}
    </div>
  );
}
