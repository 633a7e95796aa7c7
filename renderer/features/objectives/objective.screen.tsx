/** The page of one objective: its state and outcome, one timeline of events and posts, and its properties beside them. */
import { Link, useParams, useRouter } from '@tanstack/react-router';
import { ArrowLeft, Hash, Link2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ObjectiveView } from '#protocol/objective.ts';
import { relationsToObjective } from '#protocol/objective-access.ts';
import { formatScope } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { useObjective } from '../../data/queries.ts';
import { may } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { useHasRoom } from '../../ui/has-room.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { NotLoaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toast, toastError } from '../../ui/toast.ts';
import { useIsAskedToWrite } from '../conversations/asked-to-write.ts';
import { Composer } from '../conversations/composer.tsx';
import { WithReferences } from '../conversations/references.tsx';
import { Thread } from '../conversations/thread.tsx';
import { ObjectiveActs } from './objective-acts.tsx';
import { Timeline } from './objective-timeline.tsx';
import { ObjectiveWork } from './objective-work.tsx';
import { Outcome, State } from './outcome.tsx';
import { Properties } from './properties.tsx';

function useCopyItems(id: string): MenuItem[] {
  const { transport } = useBroker();
  const router = useRouter();
  const copy = (text: string, said: string) => () => void copyText(text).then(() => toast(said), toastError);
  const { href } = router.buildLocation({ to: '/app/objectives/$id', params: { id } });
  return [
    {
      label: 'Copy link',
      icon: <Link2 />,
      onSelect: copy(`${transport.origin}${href}`, 'The link was copied'),
    },
    { label: 'Copy ID', icon: <Hash />, onSelect: copy(id, 'The ID was copied') },
  ];
}

const threadOf = (objectiveId: string): string => formatScope({ kind: 'objective', objectiveId });

/**
 * The thread has the events as notices. It scrolls by itself, in the height that is left. It stays behind the timeline of a member who
 * may not read it anymore, because it has the dialog of a message that is being edited.
 */
function EventsAndPosts({ view: { objective, events } }: { view: ObjectiveView }) {
  const self = useSelf();
  const scope = threadOf(objective.id);
  const mayDiscuss = may('discussObjective', self.permissions, relationsToObjective(objective, self));
  const [hasThread, setHasThread] = useState(mayDiscuss);
  if (mayDiscuss && !hasThread) setHasThread(true);
  return (
    <>
      {hasThread ? (
        <div className="relative flex-1 lg:-mx-4" hidden={!mayDiscuss}>
          <div className="absolute inset-0 flex flex-col">
            <div className="min-h-0 flex-1">
              <Thread scope={scope} canPost={mayDiscuss} />
            </div>
            {mayDiscuss ? <Composer scope={scope} label="the thread" /> : null}
          </div>
        </div>
      ) : null}
      {mayDiscuss ? null : (
        <div className="flex flex-col gap-4 pt-2 max-lg:overflow-y-auto max-lg:px-4">
          <WithReferences>
            <Timeline events={events} />
          </WithReferences>
          <p className="max-w-[60ch] text-soft">
            Only members of the thread read its posts and write here: the originator, the assignee, the
            watchers, and managers.
          </p>
        </div>
      )}
    </>
  );
}

const Path = () => (
  <nav aria-label="Path" className="text-sm text-soft">
    <Link
      to="/app/objectives"
      search={{ status: 'any' }}
      className="inline-flex items-center gap-1 py-0.5 hover:text-text"
    >
      <ArrowLeft className="size-4" aria-hidden="true" />
      All objectives
    </Link>
  </nav>
);

/** `hasState`: the path and the state are in it, and not above it. */
function What({ view, hasState }: { view: ObjectiveView; hasState: boolean }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {hasState ? <Path /> : null}
      <WithReferences>
        <Outcome view={view} hasState={hasState} />
      </WithReferences>
    </div>
  );
}

function About({ view }: { view: ObjectiveView }) {
  return (
    <>
      <Properties view={view} />
      <ObjectiveWork view={view} />
    </>
  );
}

/** The timeline scrolls by itself, so it has a tab of its own where it does not fit below the rest. */
function Narrow({ view }: { view: ObjectiveView }) {
  const [shown, setShown] = useState('objective');
  const isAsked = useIsAskedToWrite(threadOf(view.objective.id));
  useEffect(() => {
    if (isAsked) setShown('timeline');
  }, [isAsked]);
  const tabs = [
    {
      value: 'objective',
      label: 'Objective',
      content: (
        <div className="flex h-full flex-col gap-6 overflow-y-auto px-4 py-3" {...scrollable('Objective')}>
          <What view={view} hasState={false} />
          <aside aria-label="Properties" className="flex flex-col gap-3">
            <About view={view} />
          </aside>
        </div>
      ),
    },
    {
      value: 'timeline',
      label: 'Timeline',
      content: (
        <section aria-label="Timeline" className="flex h-full flex-col">
          <EventsAndPosts key={view.objective.id} view={view} />
        </section>
      ),
    },
  ];
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-col gap-1 px-4 py-2">
        <Path />
        <State view={view} isHead />
      </div>
      <Tabs label="Parts of the objective" tabs={tabs} value={shown} onChange={setShown} isPage />
    </div>
  );
}

function Wide({ view }: { view: ObjectiveView }) {
  return (
    <div className="grid min-h-full bg-surface">
      <div className="mx-auto grid w-full max-w-6xl grid-cols-[minmax(0,1fr)_16rem] grid-rows-[auto_minmax(20rem,1fr)] gap-x-10 gap-y-6 px-4 pt-3">
        <What view={view} hasState />
        <aside aria-label="Properties" className="relative col-start-2 row-span-2 row-start-1 min-w-0">
          <div className="absolute inset-0 flex flex-col gap-3 overflow-y-auto pb-4">
            <About view={view} />
          </div>
        </aside>
        <section aria-label="Timeline" className="flex min-w-0 flex-col">
          <h2 className="border-b border-line pb-1 text-sm text-soft">Timeline</h2>
          <EventsAndPosts key={view.objective.id} view={view} />
        </section>
      </div>
    </div>
  );
}

export function ObjectiveScreen() {
  const { id } = useParams({ from: '/app/objectives/$id' });
  const { data, error, refetch } = useObjective(id);
  const items = useCopyItems(id);
  const hasRoomBeside = useHasRoom();
  if (data === undefined)
    return (
      <Page title="Objective">
        <NotLoaded error={error} onRetry={refetch} />
      </Page>
    );
  const Layout = hasRoomBeside ? Wide : Narrow;
  return (
    <Page
      title={data.objective.title}
      actions={<ObjectiveActs objective={data.objective} hasThread items={items} />}
    >
      <Layout view={data} />
    </Page>
  );
}
