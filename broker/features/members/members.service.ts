/** The members as the configuration file has them, by name (specification "Member", D2). */
import type { MemberName } from '#protocol/ids.ts';
import type { Member, Teammate } from '#protocol/member.ts';
import type { Team } from '#protocol/team.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember } from '../../config/svc-config.ts';

export interface Members {
  /** Names are matched exactly. */
  find(name: string): ConfigMember | undefined;
  all(): readonly ConfigMember[];
  teammates(): readonly Teammate[];
  /** The full wire record: for the member itself and for managers. */
  full(member: ConfigMember): Member;
  team(): Team;
}

const noTeam: Team = { name: '', directive: '', brief: '', permissionPresets: {} };

const teammate = ({ name, role, permissions }: ConfigMember): Teammate => ({ name, role, permissions });

export function createMembers({ config }: { config: ConfigStore }): Members {
  let read = config.current;
  let memberByName = new Map<string, ConfigMember>();
  let teammates: readonly Teammate[] = [];

  /** The store replaces `current` as a whole on every change. */
  function fresh(): Map<string, ConfigMember> {
    if (read !== config.current || memberByName.size === 0) {
      read = config.current;
      const members = read?.store.members ?? [];
      memberByName = new Map(members.map((member) => [member.name, member]));
      teammates = members.map(teammate);
    }
    return memberByName;
  }

  return {
    find: (name) => fresh().get(name as MemberName),
    all: () => [...fresh().values()],
    teammates: () => {
      fresh();
      return teammates;
    },
    full: (member) => ({
      ...teammate(member),
      instructions: member.instructions,
      rawPermissions: member.rawPermissions,
      totpEnrolled: member.totpSecret !== undefined,
    }),
    team: () => {
      const { name, directive, brief, permissionPresets } = config.current?.team ?? noTeam;
      return { name, directive, brief, permissionPresets };
    },
  };
}
