/** The options of a list of members to choose from: people first, and then agents. */
import { use } from 'react';
import { KindsContext } from './kind.tsx';

export interface MemberOption {
  name: string;
  /** The name by default. */
  text?: string;
}

export function MemberOptions({ members }: { members: readonly MemberOption[] }) {
  const kinds = use(KindsContext).byName;
  const isAgent = ({ name }: MemberOption) => kinds.get(name)?.kind === 'agent';
  const groups = [
    { label: 'People', options: members.filter((one) => !isAgent(one)) },
    { label: 'Agents', options: members.filter(isAgent) },
  ].filter(({ options }) => options.length > 0);
  const [first] = groups;
  if (first === undefined) return null;
  if (groups.length === 1 && first.label === 'People') return <Options options={first.options} />;
  return groups.map(({ label, options }) => (
    <optgroup key={label} label={label}>
      <Options options={options} />
    </optgroup>
  ));
}

const Options = ({ options }: { options: readonly MemberOption[] }) =>
  options.map(({ name, text = name }) => (
    <option key={name} value={name}>
      {text}
    </option>
  ));
