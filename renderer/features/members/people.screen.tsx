/** The people and the agents of the team, and one of them beside the list. */
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { use, useEffect, useRef } from 'react';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { SearchInput } from '../../ui/field.tsx';
import { useFocusBack } from '../../ui/focus-back.ts';
import { KindsContext } from '../../ui/kind.tsx';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import { NeedsHere } from '../inbox/needs-here.tsx';
import { CreateMember } from './create-member.tsx';
import { MemberPanel } from './member-panel.tsx';
import { type Listed, MemberTable } from './member-table.tsx';
import { useMembers } from './use-members.ts';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The member whose row gets the focus, because the row before it has left the table. */
    memberInFocus?: string;
  }
}

/** Without the kinds, everybody is in one table. */
function useGroups(members: readonly Listed[]): { title: string; members: readonly Listed[] }[] {
  const { byName, isKnown } = use(KindsContext);
  if (!isKnown) return [{ title: 'Members', members }];
  const isAgent = ({ name }: Listed) => byName.get(name)?.kind === 'agent';
  return [
    { title: 'People', members: members.filter((one) => !isAgent(one)) },
    { title: 'Agents', members: members.filter(isAgent) },
  ].filter((group) => group.members.length > 0);
}

export function PeopleScreen() {
  const { q, create = false, member: open } = useSearch({ from: '/app/admin/people' });
  const navigate = useNavigate({ from: '/app/admin/people' });
  const mayCreate = useMay('createMember');
  const { data, error, refetch } = useMembers();
  const kinds = use(KindsContext);
  const wanted = (q ?? '').toLowerCase();
  const members = (data?.members ?? []).filter(({ name, role }) =>
    `${name} ${role.title} ${role.description}`.toLowerCase().includes(wanted),
  );
  const groups = useGroups(members);
  const close = useClosingLayer();
  const list = useRef<HTMLDivElement>(null);
  useFocusBack(list, open);
  const memberInFocus = useRouterState({ select: ({ location }) => location.state.memberInFocus });
  useEffect(() => {
    if (memberInFocus !== undefined)
      list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(memberInFocus)}"]`)?.focus();
  }, [memberInFocus]);
  const isReady = data !== undefined && (kinds.isKnown || kinds.error !== null);
  return (
    <AdminPage
      title="People"
      isCovered={open !== undefined}
      actions={
        mayCreate ? (
          <Button
            look="primary"
            onClick={() => void navigate({ search: { q, member: open, create: true }, ...openingLayer })}
          >
            <UserPlus className="size-4" />
            New member
          </Button>
        ) : undefined
      }
      toolbar={
        <SearchInput
          label="Filter members"
          value={q ?? ''}
          onText={(text) => void navigate({ search: { q: text || undefined, member: open }, replace: true })}
          className="w-56 max-sm:w-full"
        />
      }
    >
      <div className="flex h-full">
        <div
          ref={list}
          tabIndex={-1}
          className={cx(
            'min-w-0 overflow-y-auto outline-none',
            open === undefined ? 'flex-1' : 'w-80 shrink-0 border-r border-line max-lg:hidden',
          )}
        >
          {error !== null && data === undefined ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : null}
          {!isReady && error === null ? <ListSkeleton /> : null}
          {isReady && members.length === 0 ? (
            <EmptyState
              title="No member matches the filter"
              action={
                <Button onClick={() => void navigate({ search: { member: open }, replace: true })}>
                  Clear the filter
                </Button>
              }
            />
          ) : null}
          {open === undefined ? (
            <NeedsHere
              names={isReady && members.length > 0 ? members.map(({ name }) => name) : undefined}
              className="px-4 py-2"
            />
          ) : null}
          {isReady
            ? groups.map(({ title, members: some }) => (
                <MemberTable key={title} title={title} members={some} open={open} />
              ))
            : null}
        </div>
        {open === undefined ? null : (
          <MemberPanel
            key={open}
            name={open}
            onClose={() => close(() => void navigate({ search: { q }, replace: true }))}
          />
        )}
      </div>
      <CreateMember
        isOpen={create}
        onClose={() => close(() => void navigate({ search: { q, member: open }, replace: true }))}
      />
    </AdminPage>
  );
}
