/** The agents of the team, those that need somebody first. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { useClosingLayer } from '../../ui/layers.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { FleetRow } from './fleet-row.tsx';
import { Transcript } from './transcript.tsx';
import { useFleet } from './use-fleet.ts';

const pageSize = 50;

export function FleetSection() {
  const { agent: open } = useSearch({ from: '/app/agents' });
  const navigate = useNavigate({ from: '/app/agents' });
  const close = useClosingLayer();
  const [max, setMax] = useState(pageSize);
  const { agents, error, retry } = useFleet(max);
  return (
    <Section title="Agents of the team">
      {error !== null && agents === undefined ? <ErrorState error={error} onRetry={retry} /> : null}
      {agents === undefined && error === null ? <ListSkeleton rows={3} /> : null}
      {agents?.length === 0 ? (
        <EmptyState icon={<Bot />} title="No agent has worked yet">
          A member appears here once an agent has run as it, or when an operator says on the member’s page
          that it is an agent.
        </EmptyState>
      ) : null}
      <ul aria-label="Agents">
        {(agents ?? []).slice(0, max).map((agent) => (
          <FleetRow key={agent.name} agent={agent} isOpen={agent.name === open} />
        ))}
      </ul>
      {agents !== undefined && agents.length > max ? (
        <LoadMore isLoading={false} onMore={() => setMax(max + pageSize)}>
          {max} of {agents.length} agents are shown.
        </LoadMore>
      ) : null}
      <Dialog
        isOpen={open !== undefined}
        onClose={() =>
          close(() => void navigate({ search: (search) => ({ ...search, agent: undefined }), replace: true }))
        }
        title={`Transcript of ${open ?? ''}`}
        wide
      >
        {open === undefined ? null : <Transcript key={open} member={open} />}
      </Dialog>
    </Section>
  );
}
