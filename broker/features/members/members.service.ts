/** The members as the configuration file has them, by name (specification/members.md#records). */
import type { MemberName } from '#protocol/ids.ts';
import type { Member, MemberPageQuery, Teammate } from '#protocol/member.ts';
import type { Team } from '#protocol/team.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import { memberChanges } from '../../config/member-changes.rules.ts';
import type { ConfigMember, SvcConfig } from '../../config/svc-config.ts';
import type { Reader } from '../../runtime/actor.ts';
import { isPage, pageByName } from './member-pages.rules.ts';
import { refuseUnmanaged } from './membership.rules.ts';

export interface Members {
  /** Names are matched exactly. */
  find(name: string): ConfigMember | undefined;
  all(): readonly ConfigMember[];
  teammates(): readonly Teammate[];
  /** Everybody as the configuration has them, or a page by name. */
  page(query: MemberPageQuery): readonly ConfigMember[];
  /**
   * The present holders of members.manage, who are in every thread (specification/objectives.md#discussion).
   */
  managers(): MemberName[];
  /** Returns a member as units of work that read need it. An unknown name is no manager. */
  readerOf(name: string): Reader;
  /** Returns the public wire record. */
  teammate(member: ConfigMember): Teammate;
  /** Returns the full wire record, for the member itself and for managers. */
  full(member: ConfigMember): Member;
  team(): Team;
  /** The last-manager rule, for members as they would be. @throws BrokerError bad_request. */
  refuseUnmanaged(next: readonly Pick<ConfigMember, 'permissions'>[]): void;
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
  let read: readonly ConfigMember[] = [];
  const memberByName = new Map<string, ConfigMember>();
  const managerByName = new Map<string, ConfigMember>();
  /** Made when they are asked for. */
  let teammates: readonly Teammate[] | null = null;
  let inOrder: readonly ConfigMember[] | null = null;

  function forget({ name }: ConfigMember): void {
    memberByName.delete(name);
    managerByName.delete(name);
  }

  function add(member: ConfigMember): void {
    memberByName.set(member.name, member);
    if (isManager(member)) managerByName.set(member.name, member);
  }

  /** Brings what is looked up in line with the configuration, which shares unchanged members with the one before. */
  function fresh(): readonly ConfigMember[] {
    const present = config.current?.store.members ?? [];
    if (present === read) return read;
    const { left, entered } = memberChanges(read, present);
    left.forEach(forget);
    entered.forEach(add);
    teammates = null;
    inOrder = null;
    read = present;
    return read;
  }

  function find(name: string): ConfigMember | undefined {
    fresh();
    return memberByName.get(name);
  }

  return {
    find,
    all: fresh,
    teammates() {
      const present = fresh();
      teammates ??= present.map(teammate);
      return teammates;
    },
    page(query) {
      const present = fresh();
      if (!isPage(query)) return present;
      inOrder ??= present.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return pageByName(inOrder, query);
    },
    managers() {
      fresh();
      return [...managerByName.values()].map(({ name }) => name);
    },
    readerOf(name) {
      const member = find(name);
      return { name, isManager: member !== undefined && isManager(member) };
    },
    teammate,
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
    refuseUnmanaged,
    async change(change) {
      let before: readonly ConfigMember[] = [];
      const { store } = await config.update((current) => {
        before = current.store.members;
        return change(current);
      });
      const { left, entered } = memberChanges(before, store.members);
      const permissionsByName = new Map(left.map(({ name, permissions }) => [name, permissions.join()]));
      for (const member of entered) {
        if (permissionsByName.get(member.name) !== member.permissions.join()) onPermissionsChanged(member);
      }
    },
  };
}
