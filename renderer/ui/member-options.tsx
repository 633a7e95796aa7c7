/** The options of a list of members to choose from: people first, and then agents. */
import { use } from 'react';
import { KindsContext } from './kind.tsx';
import type { Options } from './select.tsx';

export interface MemberOption {
  name: string;
  /** The name by default. */
  text?: string;
}

export function useMemberOptions(members: readonly MemberOption[]): Options {
  const kinds = use(KindsContext).byName;
  const isAgent = ({ name }: MemberOption) => kinds.get(name)?.kind === 'agent';
  const optionsOf = (some: readonly MemberOption[]) =>
    some.map(({ name, text = name }) => ({ value: name, text }));
  const people = optionsOf(members.filter((one) => !isAgent(one)));
  const agents = optionsOf(members.filter(isAgent));
  if (agents.length === 0) return people;
  return [
    ...(people.length === 0 ? [] : [{ label: 'People', options: people }]),
    { label: 'Agents', options: agents },
  ];
}
