/** Everybody on the team: role, permissions, presence, last seen. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { leaves } from '#protocol/access.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay, useRoster } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SearchInput } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateMember } from './create-member.tsx';

export function useMembers() {
  const { client } = useBroker();
  return useQuery({ queryKey: keys.members, queryFn: () => client.call('members', {}) });
}

export function MembersScreen() {
  const { q, create = false } = useSearch({ from: '/app/members' });
  const navigate = useNavigate({ from: '/app/members' });
  const isManager = useMay('members.manage');
  const { data, error, refetch } = useMembers();
  const { data: roster } = useRoster();
  const presenceByName = new Map(roster?.connected.map((presence) => [presence.name as string, presence]));
  const wanted = (q ?? '').toLowerCase();
  const members = (data?.members ?? []).filter(({ name, role }) =>
    `${name} ${role.title} ${role.description}`.toLowerCase().includes(wanted),
  );
  const set = (over: { q?: string | undefined; create?: boolean | undefined }) =>
    void navigate({ search: { q, create, ...over }, replace: true });
  return (
    <Page
      title="Members"
      actions={
        isManager ? (
          <Button look="primary" onClick={() => set({ create: true })}>
            <UserPlus className="size-4" />
            New member
          </Button>
        ) : null
      }
      toolbar={
        <SearchInput
          label="Filter members"
          value={q ?? ''}
          onText={(text) => set({ q: text || undefined })}
          className="w-56 max-sm:w-full"
        />
      }
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <ListSkeleton /> : null}
      {data !== undefined && members.length === 0 ? (
        <EmptyState
          title="Nobody by that name"
          action={<Button onClick={() => set({ q: undefined })}>Clear the filter</Button>}
        />
      ) : null}
      {members.length === 0 ? null : (
        <table className="w-full border-collapse text-left">
          <thead className="sticky top-0 bg-sunken text-sm text-soft">
            <tr className="border-b border-line">
              <th scope="col" className="px-4 py-2 font-medium">
                Member
              </th>
              <th scope="col" className="px-2 py-2 font-medium">
                Presence
              </th>
              <th scope="col" className="px-2 py-2 font-medium max-md:hidden">
                Permissions
              </th>
              <th scope="col" className="px-4 py-2 text-right font-medium max-sm:hidden">
                Last seen
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ name, role, permissions }) => {
              const presence = presenceByName.get(name);
              return (
                <tr key={name} className="border-b border-line bg-surface hover:bg-hover">
                  <td className="px-4 py-2">
                    <Link to="/app/members/$name" params={{ name }} className="flex items-center gap-3">
                      <Avatar name={name} />
                      <span className="min-w-0">
                        <span className="block font-medium">{name}</span>
                        <span className="block truncate text-sm text-soft">{role.title}</span>
                      </span>
                    </Link>
                  </td>
                  <td className="px-2 py-2">
                    <PresenceMark presence={presence} />
                  </td>
                  <td className="px-2 py-2 max-md:hidden">
                    <span className="flex flex-wrap gap-1">
                      {permissions.length === 0 ? (
                        <span className="text-sm text-faint">what every member may</span>
                      ) : permissions.length === leaves.length ? (
                        <Badge tone="caution">everything</Badge>
                      ) : (
                        permissions.map((leaf) => (
                          <Badge key={leaf} tone={leaf === 'members.manage' ? 'caution' : 'neutral'}>
                            {leaf}
                          </Badge>
                        ))
                      )}
                    </span>
                  </td>
                  <td className="px-4 py-2 text-right text-sm text-soft max-sm:hidden">
                    {presence?.lastSeen == null ? 'never' : <Time at={presence.lastSeen} />}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <CreateMember isOpen={create && isManager} onClose={() => set({ create: undefined })} />
    </Page>
  );
}
