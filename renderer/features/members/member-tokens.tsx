/** A member's tokens: list, revoke, and replace. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import type { Reply } from '#protocol/operations.ts';
import type { TokenInfo } from '#protocol/token.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { primaryName } from '../devices/devices.rules.ts';
import { useFocusAfterRow } from './focus-after-row.ts';

const nameOf = ({ label }: TokenInfo): string => label || primaryName;

function TokenRow({ token, onRevoke }: { token: TokenInfo; onRevoke: () => void }) {
  return (
    <li
      data-focus-row={token.id}
      className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 last:border-0"
    >
      <span className="min-w-40 flex-1 wrap-anywhere">
        <span className="block font-medium">{nameOf(token)}</span>
        <span className="block text-sm text-soft">
          created <Time at={token.createdAt} />
          {token.createdBy === null ? '' : ` by ${token.createdBy}`} ·{' '}
          {token.lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Time at={token.lastUsedAt} />
            </>
          )}
        </span>
      </span>
      <Button size="small" look="danger" aria-label={`Revoke ${nameOf(token)}`} onClick={onRevoke}>
        Revoke…
      </Button>
    </li>
  );
}

export type Rotated = Reply<'rotateToken'>;

export interface MemberTokensProps {
  member: string;
  rotateButton: RefObject<HTMLButtonElement | null>;
  /** Gets the new token, which stays in sight if the member may not see the tokens anymore. */
  onRotated: (rotated: Rotated) => void;
}

export function MemberTokens({ member, rotateButton, onRotated }: MemberTokensProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { data, error } = useQuery({
    queryKey: keys.tokens(member),
    queryFn: () => client.call('tokens', { params: { name: member } }),
  });
  /** It stays while the question about it closes. */
  const [revoking, setRevoking] = useState<TokenInfo | null>(null);
  const [isRevoking, setIsRevoking] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const { leaves, focusAfter } = useFocusAfterRow(list);
  const [isRotating, setRotating] = useState(false);
  const ids = data?.tokens.map(({ id }) => id).join();
  /** The tokens when the question about all of them was asked. */
  const [idsBefore, setIdsBefore] = useState(ids);
  const refresh = () => cache.invalidateQueries({ queryKey: keys.tokens(member) });
  const revoke = useMutation({
    mutationFn: (id: string) => client.call('revokeToken', { params: { name: member, id } }),
    onSuccess: async (_, id) => {
      leaves(id);
      setIsRevoking(false);
      await refresh();
    },
  });
  const rotate = useMutation({
    mutationFn: () => client.call('rotateToken', { params: { name: member } }),
    onSuccess: async (rotated) => {
      setRotating(false);
      onRotated(rotated);
      await refresh();
    },
  });
  return (
    <Section
      title="Tokens and devices"
      actions={
        <Button
          ref={rotateButton}
          size="small"
          onClick={() => {
            setIdsBefore(ids);
            setRotating(true);
          }}
        >
          Replace all tokens…
        </Button>
      }
    >
      {error !== null ? <ErrorState error={error} /> : null}
      {data === undefined && error === null ? <ListSkeleton rows={2} /> : null}
      {data?.tokens.length === 0 ? (
        <p className="px-4 py-4 text-soft">
          This member has no valid token. “Replace all tokens…” creates one.
        </p>
      ) : null}
      <ul ref={list}>
        {(data?.tokens ?? []).map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            onRevoke={() => {
              setRevoking(token);
              setIsRevoking(true);
            }}
          />
        ))}
      </ul>
      <Confirm
        isOpen={isRevoking}
        onClose={() => setIsRevoking(false)}
        title={`Revoke ${revoking === null ? '' : nameOf(revoking)}?`}
        focusAfter={() => focusAfter(rotateButton.current)}
        consequence="Everything that uses this token is disconnected within a second and cannot reconnect with it."
        act="Revoke token"
        change={revoke}
        news={
          data?.tokens.some(({ id }) => id === revoking?.id) === false
            ? 'This token was revoked, or has expired.'
            : undefined
        }
        onConfirm={() => revoking !== null && revoke.mutate(revoking.id)}
      />
      <Confirm
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        title={`Replace all tokens of ${member}?`}
        consequence="Every token and every other session of this member stops working within a second, on all devices. Runs that the member started end, and an authenticator that one of the ended tokens bound is no longer accepted. You get one new token."
        act={`Replace all tokens of ${member}`}
        change={rotate}
        news={ids === idsBefore ? undefined : 'In the meantime, the tokens of this member have changed.'}
        onConfirm={() => rotate.mutate()}
      />
    </Section>
  );
}
