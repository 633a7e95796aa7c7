/** Where a member is logged in: the open sessions, and signing out of one or of all. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionInfo } from '#protocol/session.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useSelf } from '../../data/self.tsx';
import { tellOtherTabs } from '../../shell/session-news.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, FormError, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

function SessionRow({ session, onEnd }: { session: SessionInfo; onEnd: () => void }) {
  const { device, address, createdAt, lastUsedAt, current, bound } = session;
  return (
    <li className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 last:border-0">
      <span className="min-w-40 flex-1">
        <span className="block font-medium">{device}</span>
        <span className="block text-sm text-soft">
          {address === '' ? null : <span className="break-all">{address} · </span>}
          opened <Time at={createdAt} /> · last used <Time at={lastUsedAt} /> ·{' '}
          {bound ? 'bound to its page' : 'works by its cookie alone'}
        </span>
      </span>
      {current ? <Badge tone="positive">this session</Badge> : null}
      {current ? null : (
        <Button size="small" look="danger" onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}

export function MemberSessions({ member }: { member: string }) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const isSelf = useSelf().member === member;
  const { data, error } = useQuery({
    queryKey: keys.sessions(member),
    queryFn: () => client.call('sessions', { query: { member } }),
    // No event reports a login or a use.
    staleTime: 0,
  });
  const [ending, setEnding] = useState<SessionInfo | null>(null);
  const [isEndingAll, setEndingAll] = useState(false);
  const refresh = () => cache.invalidateQueries({ queryKey: keys.sessions(member) });
  const endOne = useMutation({
    mutationFn: (id: string) => client.call('endSession', { params: { id }, query: { member } }),
    onSuccess: async () => {
      setEnding(null);
      await refresh();
    },
  });
  const endAll = useMutation({
    mutationFn: () => client.call('endSessions', { query: { member } }),
    onSuccess: async () => {
      setEndingAll(false);
      if (!isSelf) return refresh();
      transport.session?.forget();
      tellOtherTabs();
      return cache.resetQueries();
    },
  });
  const sessions = data?.sessions ?? [];
  return (
    <Section
      title="Sessions"
      actions={
        sessions.length === 0 ? undefined : (
          <Button size="small" onClick={() => setEndingAll(true)}>
            Sign out everywhere
          </Button>
        )
      }
    >
      {error !== null ? <ErrorState error={error} /> : null}
      {data === undefined && error === null ? <ListSkeleton rows={2} /> : null}
      {data !== undefined && sessions.length === 0 ? (
        <p className="px-4 py-4 text-soft">This member is not logged in to the console.</p>
      ) : null}
      <ul>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => setEnding(session)} />
        ))}
      </ul>
      <Confirm
        isOpen={ending !== null}
        onClose={() => {
          setEnding(null);
          if (endOne.isError) endOne.reset();
        }}
        title={`Sign out of ${ending?.device ?? 'this session'}?`}
        consequence="Everything that this session opened ends within a second. To come back, it needs a code from the authenticator."
        act="Sign out"
        isBusy={endOne.isPending}
        onConfirm={() => ending !== null && endOne.mutate(ending.id)}
      >
        <FormError error={endOne.error} />
      </Confirm>
      <Confirm
        isOpen={isEndingAll}
        onClose={() => {
          setEndingAll(false);
          if (endAll.isError) endAll.reset();
        }}
        title={`Sign ${member} out everywhere?`}
        consequence={
          isSelf
            ? 'Every session ends within a second, this one included. Tokens of devices and agents keep working; rotate them to end those, too.'
            : 'Every session of this member ends within a second. Tokens of devices and agents keep working; rotate them to end those, too.'
        }
        act="Sign out everywhere"
        isBusy={endAll.isPending}
        onConfirm={() => endAll.mutate()}
      >
        <FormError error={endAll.error} />
      </Confirm>
    </Section>
  );
}
