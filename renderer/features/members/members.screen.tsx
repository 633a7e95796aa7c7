/** Every member of the team: role, permissions, presence, and last seen. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { SearchInput } from '../../ui/field.tsx';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { CreateMember } from './create-member.tsx';
import { MemberTable } from './member-table.tsx';
import { useMembers } from './use-members.ts';

export function MembersScreen() {
  const { q, create = false } = useSearch({ from: '/app/members' });
  const navigate = useNavigate({ from: '/app/members' });
  const mayCreate = useMay('createMember');
  const { data, error, refetch } = useMembers();
  const wanted = (q ?? '').toLowerCase();
  const members = (data?.members ?? []).filter(({ name, role }) =>
    `${name} ${role.title} ${role.description}`.toLowerCase().includes(wanted),
  );
  const close = useClosingLayer();
  const filter = (text: string) => void navigate({ search: { q: text || undefined }, replace: true });
  return (
    <Page
      title="Members"
      actions={
        mayCreate ? (
          <Button
            look="primary"
            onClick={() => void navigate({ search: { q, create: true }, ...openingLayer })}
          >
            <UserPlus className="size-4" />
            New member
          </Button>
        ) : null
      }
      toolbar={
        <SearchInput label="Filter members" value={q ?? ''} onText={filter} className="w-56 max-sm:w-full" />
      }
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <ListSkeleton /> : null}
      {data !== undefined && members.length === 0 ? (
        <EmptyState
          title="No member with that name"
          action={<Button onClick={() => filter('')}>Clear the filter</Button>}
        />
      ) : null}
      {members.length === 0 ? null : <MemberTable members={members} />}
      <CreateMember
        isOpen={create && mayCreate}
        onClose={() => close(() => void navigate({ search: { q }, replace: true }))}
      />
    </Page>
  );
}
