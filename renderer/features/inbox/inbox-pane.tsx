/** An item of the inbox, opened beside the list, where the member deals with it. */
import { Link } from '@tanstack/react-router';
import { ArrowUpRight, CircleCheck, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { InboxItem, InboxPlace } from '#protocol/inbox.ts';
import { formatScope, parseScope } from '#protocol/scope.ts';
import { useEscape } from '../../commands/escape.ts';
import { useHeldPosts, useObjective, usePendingEnrollments } from '../../data/queries.ts';
import { buttonClass, IconButton, linkClass } from '../../ui/button.tsx';
import { isComposing } from '../../ui/composing.ts';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { Conversation } from '../conversations/conversation.tsx';
import { WithReferences } from '../conversations/references.tsx';
import { ShownScope, useScopeName } from '../conversations/shown-scope.tsx';
import { DecideForm } from '../devices/decide-form.tsx';
import { useKeptDevice } from '../devices/use-kept-device.ts';
import { useDropping } from '../holds/dropping.ts';
import { HeldPosts } from '../holds/held-posts.tsx';
import { ObjectiveActs } from '../objectives/objective-acts.tsx';
import { Outcome } from '../objectives/outcome.tsx';
import { placeOf } from './item-place.ts';

function Device({ code, onClose }: { code: string; onClose: () => void }) {
  const { data, error, refetch } = usePendingEnrollments();
  const { enrollment, watch } = useKeptDevice(data?.enrollments.find(({ userCode }) => userCode === code));
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} />;
  if (enrollment === undefined) return <Decided />;
  return (
    <div className="max-w-xl overflow-y-auto p-4" {...watch}>
      <DecideForm enrollment={enrollment} onClose={onClose} />
    </div>
  );
}

function ObjectiveItem({ id }: { id: string }) {
  const { data, error, refetch } = useObjective(id);
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} />;
  return (
    <>
      <div className="flex max-h-[45%] flex-col gap-3 overflow-y-auto p-4">
        <div className="flex flex-wrap gap-2">
          <ObjectiveActs objective={data.objective} hasThread />
        </div>
        <WithReferences>
          <Outcome view={data} />
        </WithReferences>
      </div>
      <Conversation scope={formatScope({ kind: 'objective', objectiveId: id })} />
    </>
  );
}

/** The post, and the conversation for which it is. */
function Held({ id, scope }: { id: string; scope: string }) {
  const { data } = useHeldPosts();
  const dropping = useDropping();
  const isDecided = data !== undefined && (dropping.has(id) || !data.held.some((post) => post.id === id));
  return (
    <>
      <HeldPosts isShown={(post) => post.id === id} />
      <div role="status">
        {isDecided ? (
          <p className="px-4 py-3 text-soft">This post does not wait anymore: it was released or dropped.</p>
        ) : null}
      </div>
      {parseScope(scope)?.kind === 'direct' ? null : <Conversation scope={scope} hasHeldPosts={false} />}
    </>
  );
}

function Agent({ name, detail }: { name: string; detail: string }) {
  return (
    <>
      <p className="px-4 py-3">
        {detail}{' '}
        <Link to="/app/agents" search={{ agent: name }} className={linkClass}>
          Open it among the agents
        </Link>
      </p>
      <Conversation scope={formatScope({ kind: 'direct', member: name })} />
    </>
  );
}

const Decided = () => (
  <EmptyState icon={<CircleCheck />} title="Already dealt with">
    Choose another item of the list.
  </EmptyState>
);

const openWords: Record<InboxPlace['kind'], string> = {
  conversation: 'Open in Messages',
  held: 'Open in Messages',
  objective: 'Open the objective',
  member: 'Open the member',
  device: 'Open Machines',
  settings: 'Open Health',
};

function Content({ item, onClose }: { item: InboxItem; onClose: () => void }): ReactNode {
  const { place, scope, detail } = item;
  switch (place.kind) {
    case 'conversation':
      return <Conversation scope={place.scope} sought={place.message} isForWriting />;
    case 'objective':
      return <ObjectiveItem id={place.id} />;
    case 'held':
      return <Held id={place.id} scope={scope ?? 'general'} />;
    case 'device':
      return <Device code={place.code} onClose={onClose} />;
    case 'member':
      return <Agent name={place.name} detail={detail} />;
    case 'settings':
      return <p className="px-4 py-3">{detail}</p>;
  }
}

function Title({ item: { place, title, scope } }: { item: InboxItem }) {
  const name = useScopeName(place.kind === 'conversation' ? place.scope : 'general');
  if (place.kind === 'conversation') return name;
  return (
    <>
      {title} {scope === null ? null : <ShownScope scope={scope} />}
    </>
  );
}

interface InboxPaneProps {
  /** Undefined if the address names an item that is not in the list anymore. */
  item: InboxItem | undefined;
  onClose: () => void;
}

/** Escape closes it. */
export function InboxPane({ item, onClose }: InboxPaneProps) {
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!pane.current?.contains(document.activeElement)) pane.current?.focus();
  }, []);
  // In the pane, what is open in it closes before it.
  useEscape(() => !pane.current?.contains(document.activeElement) && onClose());
  return (
    <section
      ref={pane}
      tabIndex={-1}
      data-opened
      aria-label="Opened item"
      onKeyDown={(event) => {
        const isInside = event.target instanceof Node && pane.current?.contains(event.target);
        if (event.key !== 'Escape' || event.defaultPrevented || isInside !== true) return;
        if (isComposing(event.nativeEvent)) return;
        event.preventDefault();
        onClose();
      }}
      className="flex min-w-0 flex-1 flex-col border-line bg-surface outline-none lg:border-l"
    >
      <header className="flex min-h-12 items-center gap-2 border-b border-line px-4 py-2">
        <h2 tabIndex={-1} className="short-heading flex-1 font-semibold" dir="auto">
          {item === undefined ? 'Inbox' : <Title item={item} />}
        </h2>
        {item === undefined ? null : (
          <Link {...placeOf(item)} className={buttonClass('quiet', 'small')}>
            <ArrowUpRight className="size-3.5" aria-hidden="true" />
            <span className="max-sm:sr-only">{openWords[item.place.kind]}</span>
          </Link>
        )}
        <IconButton label="Close" onClick={onClose}>
          <X />
        </IconButton>
      </header>
      {item === undefined ? <Decided /> : <Content item={item} onClose={onClose} />}
    </section>
  );
}
