/** The members as the configuration file has them, by name (specification/members.md#records). */
import type { MemberName } from '#protocol/ids.ts';
import type { Member, Teammate } from '#protocol/member.ts';
import type { Team } from '#protocol/team.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember, SvcConfig } from '../../config/svc-config.ts';
import type { Reader } from '../../runtime/actor.ts';
import { refuseUnmanaged } from './membership.rules.ts';

export interface Members {
  /** Names are matched exactly. */
  find(name: string): ConfigMember | undefined;
  all(): readonly ConfigMember[];
  teammates(): readonly Teammate[];
  /**
   * The present holders of members.manage, who are in every thread (specification/objectives.md#discussion).
   */
  managers(): MemberName[];
  /** Returns a member as units of work that read need it. An unknown name is no manager. */
  readerOf(name: string): Reader;
  /** Returns the full wire record, for the member itself and for managers. */
  full(member: ConfigMember): Member;
  team(): Team;
  /**
   * Applies the last-manager rule to a future configuration. @throws BrokerError bad_request if nobody would
   * hold members.manage.
   */
  refuseUnmanaged(next: SvcConfig): SvcConfig;
  /**
   * Changes the configuration in a way that may affect permissions; see ConfigStore.update. Listeners are
   * called with every affected member.
   */
  change(change: (config: SvcConfig) => SvcConfig): Promise<void>;
}

export interface MembersDeps {
  config: ConfigStore;
  /** Called after the change is in force: what a member opened by a permission that it lost must end. */
  onPermissionsChanged: (member: ConfigMember) => void;
}

const noTeam: Team = { name: '', directive: '', brief: '', permissionPresets: {} };

const teammate = ({ name, role, permissions }: ConfigMember): Teammate => ({ name, role, permissions });

const isManager = ({ permissions }: ConfigMember): boolean => permissions.includes('members.manage');

export function createMembers({ config, onPermissionsChanged }: MembersDeps): Members {
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
    managers: () => [...fresh().values()].filter(isManager).map(({ name }) => name),
    readerOf(name) {
      const member = fresh().get(name as MemberName);
      return { name, isManager: member !== undefined && isManager(member) };
    },
    full: (member) => ({
      ...teammate(member),
      instructions: member.instructions,
      rawPermissions: member.rawPermissions,
      totpEnrolled: member.totpSecret !== undefined,
      ...(member.wakes !== undefined && { wakes: member.wakes }),
    }),
    team: () => {
      const { name, directive, brief, permissionPresets, maxAgentHops } = config.current?.team ?? noTeam;
      const given = { name, directive, brief, permissionPresets };
      return maxAgentHops === undefined ? given : { ...given, maxAgentHops };
    },
    refuseUnmanaged(next) {
      refuseUnmanaged(next.store.members, next.team.permissionPresets);
      return next;
    },
    async change(change) {
      const before = new Map<string, string>();
      const { store } = await config.update((current) => {
        for (const { name, permissions } of current.store.members) before.set(name, permissions.join());
        return change(current);
      });
      for (const member of store.members) {
        if (before.get(member.name) === member.permissions.join()) continue;
        onPermissionsChanged(member);
      }
    },
  };
}
