/** The page of one objective, with its thread. */
import { Link, useParams } from '@tanstack/react-router';
import { counted } from '#protocol/counted.ts';
import { relationsToObjective } from '#protocol/objective-access.ts';
import { formatScope } from '#protocol/scope.ts';
import { useObjective } from '../../data/queries.ts';
import { may } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { Composer } from '../conversations/composer.tsx';
import { WithReferences } from '../conversations/references.tsx';
import { Thread } from '../conversations/thread.tsx';
import { Evidence } from './evidence.tsx';
import { ObjectiveActs } from './objective-acts.tsx';
import { ObjectiveFacts } from './objective-facts.tsx';
import { Timeline } from './objective-timeline.tsx';
import { ObjectiveWork } from './objective-work.tsx';
import { Outcome } from './outcome.tsx';

export function ObjectiveScreen() {
  const { id } = useParams({ from: '/app/objectives/$id' });
  const self = useSelf();
  const { data, error, refetch } = useObjective(id);
  if (data === undefined)
    return (
      <Page title="Objective">
        {error === null ? <ListSkeleton /> : <ErrorState error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  const { objective, events } = data;
  const scope = formatScope({ kind: 'objective', objectiveId: id });
  const isInThread = may('discussObjective', self.permissions, relationsToObjective(objective, self));
  return (
    <Page
      title={objective.title}
      toolbar={
        <>
          <nav aria-label="Path" className="flex items-center gap-2 text-sm text-soft">
            <Link to="/app/objectives" search={{ status: 'any' }} className="hover:text-text">
              All objectives
            </Link>
            <span aria-hidden="true">/</span>
            <code className="font-mono">{objective.id}</code>
          </nav>
          <StatusIcon status={objective.status} />
        </>
      }
      actions={<ObjectiveActs objective={objective} />}
    >
      <div className="mx-auto grid max-w-6xl grid-cols-1 items-start gap-4 p-4 lg:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <WithReferences>
            <Outcome objective={objective} />
          </WithReferences>
          <Section title="Thread">
            {isInThread ? (
              <div className="flex h-120 flex-col">
                <div className="min-h-0 flex-1">
                  <Thread scope={scope} canPost />
                </div>
                <Composer scope={scope} label="the thread" />
              </div>
            ) : (
              <EmptyState title="Only members of the thread can read it">
                The originator, the assignee, the watchers, and operators read and write here.
              </EmptyState>
            )}
          </Section>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <WithReferences>
            <Evidence objective={objective} />
          </WithReferences>
          <ObjectiveWork objective={objective} events={events} />
          <Section title="Details">
            <ObjectiveFacts objective={objective} />
          </Section>
          {/* Folded, because the thread has the same events as notices. */}
          <Section title="History">
            <details>
              <summary className="cursor-pointer px-4 py-2">{counted(events.length, 'event')}</summary>
              <WithReferences>
                <Timeline events={events} />
              </WithReferences>
            </details>
          </Section>
        </div>
      </div>
    </Page>
  );
}
