/** The views of the objectives: some that everybody has, and those that the member keeps on this device. */
import { Link, useNavigate } from '@tanstack/react-router';
import { BookmarkPlus, MoreHorizontal, PenLine, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { keepText, keptText, useKeptText } from '../../data/kept.ts';
import type { ObjectiveView } from '../../data/objective-view.rules.ts';
import { useSelf } from '../../data/self.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { toast, toastError, toastWithUndo } from '../../ui/toast.ts';
import { isSameView } from './arrangement.rules.ts';
import {
  maxSavedViews,
  renamedView,
  type SavedView,
  savedViewsIn,
  withoutView,
  withView,
} from './saved-views.rules.ts';
import { ViewNameForm } from './view-name-form.tsx';

/** The views that everybody has, shown as the list or the board that is open. */
function commonViews(self: string, view: ObjectiveView['view']): SavedView[] {
  const open = { view, ...(view === 'board' && { status: 'open' as const }) };
  return [
    { name: 'Mine', search: { ...open, assignee: self } },
    { name: 'Open', search: open },
    { name: 'Blocked', search: { view, status: 'blocked' } },
    { name: 'Done', search: { view, status: 'done' } },
    { name: 'All', search: { view, status: 'any' } },
  ];
}

function ViewLink({ view, isCurrent }: { view: SavedView; isCurrent: boolean }) {
  return (
    <Link
      to="/app/objectives"
      search={view.search}
      data-view={view.name}
      activeOptions={{ exact: true }}
      aria-current={isCurrent ? 'page' : undefined}
      dir="auto"
      className={cx(
        'inline-flex h-10 max-w-48 shrink-0 items-center border-b-2 px-0.5 -outline-offset-2 max-sm:h-11',
        isCurrent ? 'border-accent font-medium' : 'border-transparent text-soft hover:text-text',
      )}
    >
      <span className="truncate">{view.name}</span>
    </Link>
  );
}

export function ObjectiveViews({ search }: { search: ObjectiveView }) {
  const self = useSelf().member;
  const navigate = useNavigate();
  const storageKey = `muster.objective-views.${self}`;
  const saved = savedViewsIn(useKeptText(storageKey));
  const common = commonViews(self, search.view);
  const [naming, setNaming] = useState<'new' | 'present' | null>(null);
  const nav = useRef<HTMLElement>(null);
  /** The view whose link gets the focus when a dialog or a menu closes. */
  const named = useRef<string | null>(null);
  const present = saved.find((view) => isSameView(view.search, search));
  const isKnown = present !== undefined || common.some((view) => isSameView(view.search, search));
  const linkOf = (name: string | null) =>
    name === null
      ? null
      : (nav.current?.querySelector<HTMLElement>(`[data-view="${CSS.escape(name)}"]`) ?? null);

  /** Reads what is kept again, because another tab may have changed it. */
  function change(make: (views: readonly SavedView[]) => SavedView[] | undefined): boolean {
    const next = make(savedViewsIn(keptText(storageKey)));
    if (next === undefined) {
      toast(`You have ${maxSavedViews} saved views`, 'Delete one before you save another.');
      return false;
    }
    try {
      keepText(storageKey, JSON.stringify(next));
      return true;
    } catch {
      toastError(new Error('The browser keeps no more data for this page, so the view was not saved.'));
      return false;
    }
  }
  function onName(name: string): void {
    const from = naming === 'present' ? present?.name : undefined;
    const isDone = change((views) =>
      from === undefined ? withView(views, name, search) : renamedView(views, from, name),
    );
    if (isDone) named.current = name;
    setNaming(null);
  }
  function onDelete(view: SavedView): void {
    if (!change((views) => withoutView(views, view.name))) return;
    const open = common[1];
    named.current = open?.name ?? null;
    void navigate({ to: '/app/objectives', search: open?.search ?? {}, replace: true });
    toastWithUndo(`The view “${view.name}” was deleted`, () => {
      change((views) =>
        views.some(({ name }) => name === view.name) ? [...views] : withView(views, view.name, view.search),
      );
    });
  }
  return (
    <nav
      ref={nav}
      aria-label="Views"
      className="flex min-w-0 items-center gap-5 overflow-x-auto overflow-y-hidden"
    >
      {[...common, ...saved].map((view) => (
        <ViewLink
          key={`${saved.includes(view) ? 'saved' : 'common'} ${view.name}`}
          view={view}
          isCurrent={isSameView(view.search, search) && (present === undefined || view === present)}
        />
      ))}
      {present === undefined ? null : (
        <Menu
          trigger={
            <IconButton label="Change the view" className="size-7">
              <MoreHorizontal />
            </IconButton>
          }
          focusAfter={() => linkOf(named.current)}
          items={[
            { label: 'Rename', icon: <PenLine />, onSelect: () => setNaming('present') },
            { label: 'Delete', icon: <Trash2 />, isDanger: true, onSelect: () => onDelete(present) },
          ]}
        />
      )}
      {isKnown ? null : (
        <Button size="small" look="quiet" onClick={() => setNaming('new')}>
          <BookmarkPlus className="size-4" />
          Save view
        </Button>
      )}
      <Dialog
        isOpen={naming !== null}
        onClose={() => setNaming(null)}
        title={naming === 'new' ? 'Save view' : 'Rename view'}
        description="A view is a filter, an order, and a layout. This browser keeps it for you."
        focusAfter={() => linkOf(named.current)}
      >
        <ViewNameForm
          views={saved}
          {...(naming === 'present' && present !== undefined && { present: present.name })}
          onName={onName}
          onClose={() => setNaming(null)}
        />
      </Dialog>
    </nav>
  );
}
