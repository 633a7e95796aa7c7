/**
 * Manages the membership of the team (specification/members.md#operations). Members are in svc.json, and everything that goes
 * with them is in the store; the file decides. The store is told before the file is written and cleaned up
 * after it, and `repair` at start completes or drops what was in progress, so that the process may end
 * between any two writes.
 */
import { createSerialQueue } from '#platform/serial-queue.ts';
import { resolvePermissions } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import type {
  CreatedMember,
  MemberList,
  MemberPageQuery,
  MemberPatch,
  NewMember,
  Teammate,
} from '#protocol/member.ts';
import { withChangedMember, withMembers } from '../../config/changed-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember, SvcConfig } from '../../config/svc-config.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Channels } from '../channels/channels.service.ts';
import type { Tokens } from '../tokens/tokens.service.ts';
import type { Members } from './members.service.ts';
import type { Claim, MemberUnits, Removal } from './members.sqlite.ts';
import { refuseTaken, refuseUnknownPermissions, refuseUnmanaged } from './membership.rules.ts';

export interface Membership {
  /** Includes the private fields for managers only. */
  list(reader: Actor, page: MemberPageQuery): MemberList;
  /** Returns the token's plaintext once. @throws BrokerError conflict, bad_request. */
  create(member: NewMember, by: string): Promise<CreatedMember>;
  /**
   * Creates a member of a device enrollment, without a primary token. @throws BrokerError conflict,
   * bad_request.
   */
  createEnrolled(member: NewMember, enrollmentId: string): Promise<Teammate>;
  wasCreatedBy(member: string, enrollmentId: string): boolean;
  /** @throws BrokerError not_found; bad_request for unknown permissions and for the last manager. */
  update(name: string, patch: MemberPatch): Promise<Teammate>;
  /**
   * When it resolves, nothing of the member works anymore. @throws BrokerError not_found; bad_request for the
   * last manager.
   */
  remove(name: string, by: string): Promise<void>;
  /** Brings the store in line with the configuration, at start, before anything else of members is loaded. */
  repair(): Promise<void>;
}

export interface MembershipDeps {
  config: ConfigStore;
  members: Members;
  tokens: Tokens;
  units: MemberUnits;
  clock: Clock;
  /**
   * The functions that end what memory holds of a member: its credentials and streams, and whatever else features keep.
   */
  onMemberRemoved: readonly ((name: MemberName) => void)[];
  /** Its open objectives become blocked, and it leaves the watchers. Repeating it changes nothing. */
  releaseObjectives: (name: string) => Promise<void>;
  /** The member is no longer in these channels. */
  onChannelsLeft: Channels['announceLeft'];
  /** The held posts with these ids were dropped with their writer. */
  onHeldDropped: (writer: string, ids: readonly string[], by: string) => void;
  audit: Pick<Audit, 'entry'>;
  /** A write failed that the next start makes up for. */
  onWriteDeferred: (error: unknown) => void;
}

/**
 * `enrollment` is the id of the device enrollment that created the member. It is kept in the file, so that
 * the member and the store's request can be matched.
 */
type OwnFields = Pick<ConfigMember, 'tokenHash'> & { enrollment?: string };

export function createMembership(deps: MembershipDeps): Membership {
  const { config, members, tokens, units, clock, audit, onMemberRemoved, releaseObjectives } = deps;
  const { onChannelsLeft, onHeldDropped, onWriteDeferred } = deps;
  /** Changes of the members run one at a time, so that no other begins between the two writes of one. */
  const inTurn = createSerialQueue();

  const known = (name: string): ConfigMember => members.find(name) ?? refuse('unknown_member', { name });

  const teammate = ({ name, role, permissions }: ConfigMember): Teammate => ({ name, role, permissions });

  function withMember(current: SvcConfig, member: ConfigMember): SvcConfig {
    refuseTaken(member.name, current.store.members);
    refuseUnknownPermissions(member.rawPermissions, current.team.permissionPresets);
    return withMembers(current, [...current.store.members, member]);
  }

  async function add(
    request: NewMember,
    by: string,
    token: Claim['token'],
    own: OwnFields,
  ): Promise<Teammate> {
    const { name, role, instructions, permissions: rawPermissions } = request;
    const member: ConfigMember = { ...own, name, role, instructions, rawPermissions, permissions: [] };
    if (config.current !== null) withMember(config.current, member);
    await releaseObjectives(name);
    const dropping = audit.entry('held_dropped', {});
    onHeldDropped(name, await units.claimName({ name, at: clock(), by, token, dropping }), by);
    for (const end of onMemberRemoved) end(name);
    try {
      await config.update((current) => withMember(current, member));
    } catch (error) {
      if (token !== null) await units.dropClaim(token.id).catch(onWriteDeferred);
      throw error;
    }
    return teammate(known(name));
  }

  function changed(current: SvcConfig, name: string, patch: MemberPatch): SvcConfig {
    const { role, instructions, permissions, wakes } = patch;
    if (permissions !== undefined) refuseUnknownPermissions(permissions, current.team.permissionPresets);
    const next = withChangedMember(current, name, ({ wakes: present, ...member }) => {
      const description = role?.description ?? member.role.description;
      const rawPermissions = permissions ?? member.rawPermissions;
      const wakesOn = wakes ?? present;
      return {
        ...member,
        role: { ...member.role, ...role, description },
        instructions: instructions ?? member.instructions,
        rawPermissions,
        permissions: resolvePermissions(rawPermissions, current.team.permissionPresets).permissions,
        ...(wakesOn !== undefined && wakesOn !== 'default' && { wakes: wakesOn }),
      };
    });
    refuseUnmanaged(next.store.members);
    return next;
  }

  function without(current: SvcConfig, name: string): SvcConfig {
    const rest = current.store.members.filter((one) => one.name !== name);
    if (rest.length === current.store.members.length) refuse('unknown_member', { name });
    refuseUnmanaged(rest);
    return withMembers(current, rest);
  }

  /** Objectives come first, because a completed removal needs no repair. */
  async function finishRemoval(removal: Removal): Promise<void> {
    await releaseObjectives(removal.name);
    const dropping = audit.entry('held_dropped', {});
    const { channels, held } = await units.completeRemoval({ ...removal, dropping });
    onChannelsLeft(channels);
    onHeldDropped(removal.name, held, removal.by);
  }

  return {
    list(reader, page) {
      const isManager = reader.permissions.includes('members.manage');
      return { members: members.page(page).map(isManager ? members.full : members.teammate) };
    },
    create: (request, by) =>
      inTurn(async () => {
        const { plaintext, row } = tokens.mint({
          member: request.name,
          origin: 'create',
          label: '',
          createdBy: by,
          expiresAt: null,
        });
        const member = await add(request, by, row, { tokenHash: row.hash });
        tokens.admit(row);
        return { member, token: plaintext };
      }),
    createEnrolled: (request, enrollmentId) =>
      inTurn(() => add(request, 'system', null, { enrollment: enrollmentId })),
    wasCreatedBy(name, enrollmentId) {
      const member = members.find(name);
      return member !== undefined && 'enrollment' in member && member.enrollment === enrollmentId;
    },
    async update(name, patch) {
      known(name);
      if (Object.values(patch).some((part) => part !== undefined)) {
        await members.change((current) => changed(current, name, patch));
      }
      return teammate(known(name));
    },
    remove: (name, by) =>
      inTurn(async () => {
        const member = known(name).name;
        if (config.current !== null) without(config.current, name);
        const removal: Removal = { name, at: clock(), by };
        await units.beginRemoval(removal);
        try {
          await config.update((current) => without(current, name));
        } catch (error) {
          await units.cancelRemoval(name).catch(onWriteDeferred);
          throw error;
        }
        for (const end of onMemberRemoved) end(member);
        await finishRemoval(removal).catch(onWriteDeferred);
      }),
    async repair() {
      // Without a configuration, nothing can be decided; a later start will.
      if (config.current === null) return;
      for (const removal of await units.unsettledRemovals()) {
        if (members.find(removal.name) === undefined) await finishRemoval(removal);
        else await units.cancelRemoval(removal.name);
      }
    },
  };
}
