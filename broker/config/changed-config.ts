/** Configurations with other members. Everything else is shared with the one given, which stays as it is. */
import { refuse } from '#protocol/errors.ts';
import type { ConfigMember, SvcConfig } from './svc-config.ts';

export const withMembers = (config: SvcConfig, members: readonly ConfigMember[]): SvcConfig => ({
  ...config,
  store: { ...config.store, members },
});

/** Returns the member without an authenticator. */
export const withoutAuthenticator = (member: ConfigMember): ConfigMember => ({
  ...member,
  totpSecret: undefined,
  totpBoundWith: undefined,
});

/** @throws BrokerError not_found if there is no such member. */
export function withChangedMember(
  config: SvcConfig,
  name: string,
  change: (member: ConfigMember) => ConfigMember,
): SvcConfig {
  const { members } = config.store;
  const at = members.findIndex((member) => member.name === name);
  const member = members[at] ?? refuse('unknown_member', { name });
  return withMembers(config, members.with(at, change(member)));
}
