/** People and agents (specification/members.md#kinds), for everything that shows a member. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { kindPages } from '#protocol/lists.ts';
import type { KindOfMember } from '#protocol/member-kind.ts';
import { allOf } from '#protocol/pages.ts';
import { KindsContext } from '../ui/kind.tsx';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';

const none: ReadonlyMap<string, KindOfMember> = new Map();
const byName = (kinds: readonly KindOfMember[]): ReadonlyMap<string, KindOfMember> =>
  new Map(kinds.map((one) => [one.name, one]));

export function Kinds({ children }: { children: ReactNode }) {
  const { client } = useBroker();
  const { data, error } = useQuery({
    queryKey: keys.kinds,
    queryFn: () => allOf(kindPages(client)),
    select: byName,
  });
  const known = useMemo(() => ({ byName: data ?? none, isKnown: data !== undefined, error }), [data, error]);
  return <KindsContext value={known}>{children}</KindsContext>;
}
