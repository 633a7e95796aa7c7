/** Returns every member by name; operators get the private part, too. */
import { useQuery } from '@tanstack/react-query';
import { memberPages } from '#protocol/lists.ts';
import type { MemberList } from '#protocol/member.ts';
import { allOf } from '#protocol/pages.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';

export function useMembers() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.members,
    queryFn: async (): Promise<MemberList> => ({ members: await allOf(memberPages(client)) }),
  });
}
