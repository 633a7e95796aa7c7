/** The places where a member is logged in: the open sessions, and signing out of one or of all. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { SessionInfo } from '#protocol/session.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { tellOtherTabs } from '../../shell/session-news.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useFocusAfterRow } from './focus-after-row.ts';

function SessionRow({ session, onEnd }: { session: SessionInfo; onEnd: () => void }) {
  const { id, device, address, createdAt, lastUsedAt, current, bound } = session;
  return (
    <li
      data-focus-row={id}
      className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 last:border-0"
    >
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
        <Button size="small" look="danger" aria-label={`Sign out of ${device}`} onClick={onEnd}>
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
  /** It stays while the question about it closes. */
  const [ending, setEnding] = useState<SessionInfo | null>(null);
  const [isEnding, setIsEnding] = useState(false);
  const [isEndingAll, setEndingAll] = useState(false);
  const region = useRef<HTMLDivElement>(null);
  const haveEnded = useRef(false);
  const { leaves, focusAfter } = useFocusAfterRow(region);
  const refresh = () => cache.invalidateQueries({ queryKey: keys.sessions(member) });
  const endOne = useMutation({
    mutationFn: (id: string) => client.call('endSession', { params: { id }, query: { member } }),
    onSuccess: async (_, id) => {
      leaves(id);
      setIsEnding(false);
      await refresh();
    },
  });
  const endAll = useMutation({
    mutationFn: () => client.call('endSessions', { query: { member } }),
    onSuccess: async () => {
      haveEnded.current = true;
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
      {/* biome-ignore lint/a11y/useSemanticElements: it takes the focus of the last session */}
      <div ref={region} tabIndex={-1} role="group" aria-label="Sessions" className="-outline-offset-2">
        <ul>
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              onEnd={() => {
                setEnding(session);
                setIsEnding(true);
              }}
            />
          ))}
        </ul>
      </div>
      <Confirm
        isOpen={isEnding}
        onClose={() => setIsEnding(false)}
        title={`Sign out of ${ending?.device ?? 'this session'}?`}
        focusAfter={() => focusAfter()}
        consequence="Everything that this session opened ends within a second. To come back, it needs a code from the authenticator."
        act="Sign out"
        change={endOne}
        news={sessions.some(({ id }) => id === ending?.id) ? undefined : 'This session has ended.'}
        onConfirm={() => ending !== null && endOne.mutate(ending.id)}
      />
      <Confirm
        isOpen={isEndingAll}
        onClose={() => setEndingAll(false)}
        title={`Sign ${member} out everywhere?`}
        focusAfter={() => (haveEnded.current ? region.current : null)}
        consequence={
          isSelf
            ? 'Every session ends within a second, this one included. Tokens of devices and agents keep working; rotate them to end those, too.'
            : 'Every session of this member ends within a second. Tokens of devices and agents keep working; rotate them to end those, too.'
        }
        act="Sign out everywhere"
        change={endAll}
        news={sessions.length === 0 ? 'All sessions of this member have ended.' : undefined}
        onConfirm={() => endAll.mutate()}
      />
    </Section>
  );
}
