/** Every member of the team: role, permissions, presence, and last seen. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { use } from 'react';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { SearchInput } from '../../ui/field.tsx';
import { KindsContext } from '../../ui/kind.tsx';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import { CreateMember } from './create-member.tsx';
import { MemberTable } from './member-table.tsx';
import { useMembers } from './use-members.ts';

const kindOptions = [
  { value: '', text: 'People and agents' },
  { value: 'person', text: 'People' },
  { value: 'agent', text: 'Agents' },
] as const;

export function PeopleScreen() {
  const { q, kind, create = false } = useSearch({ from: '/app/admin/people' });
  const navigate = useNavigate({ from: '/app/admin/people' });
  const mayCreate = useMay('createMember');
  const { data, error: membersError, refetch } = useMembers();
  const wanted = (q ?? '').toLowerCase();
  const cache = useQueryClient();
  const kinds = use(KindsContext);
  const isReady = data !== undefined && (kind === undefined || kinds.isKnown);
  const error = membersError ?? (kind === undefined ? null : kinds.error);
  const members = (isReady ? data.members : []).filter(
    ({ name, role }) =>
      `${name} ${role.title} ${role.description}`.toLowerCase().includes(wanted) &&
      (kind === undefined || (kinds.byName.get(name)?.kind ?? 'person') === kind),
  );
  const close = useClosingLayer();
  function retry(): void {
    void refetch();
    void cache.invalidateQueries({ queryKey: keys.kinds });
  }
  const filter = (change: { q?: string | undefined; kind?: typeof kind }) =>
    void navigate({ search: { q, kind, ...change }, replace: true });
  return (
    <AdminPage
      title="People"
      actions={
        mayCreate ? (
          <Button
            look="primary"
            onClick={() => void navigate({ search: { q, kind, create: true }, ...openingLayer })}
          >
            <UserPlus className="size-4" />
            New member
          </Button>
        ) : null
      }
      toolbar={
        <>
          <SearchInput
            label="Filter members"
            value={q ?? ''}
            onText={(text) => filter({ q: text || undefined })}
            className="w-56 max-sm:w-full"
          />
          <Select
            label="Kind"
            value={kind ?? ''}
            options={kindOptions}
            onChoose={(chosen) => filter({ kind: chosen || undefined })}
            className="max-sm:w-full"
          />
        </>
      }
    >
      {error !== null && !isReady ? <ErrorState error={error} onRetry={retry} /> : null}
      {!isReady && error === null ? <ListSkeleton /> : null}
      {isReady && members.length === 0 ? (
        <EmptyState
          title="No member matches the filter"
          action={<Button onClick={() => filter({ q: undefined, kind: undefined })}>Clear the filter</Button>}
        />
      ) : null}
      {members.length === 0 ? null : <MemberTable members={members} />}
      <CreateMember
        isOpen={create && mayCreate}
        onClose={() => close(() => void navigate({ search: { q, kind }, replace: true }))}
      />
    </AdminPage>
  );
}
