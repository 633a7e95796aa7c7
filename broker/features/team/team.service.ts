/** The team's context and its presets (specification/team.md#team). */
import { resolvePermissions } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import type { Team, TeamPatch } from '#protocol/team.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Members } from '../members/members.service.ts';
import { refuseMalformedPresets, refusePresetsInUse } from './team.rules.ts';

export interface TeamService {
  read(): Team;
  /**
   * Changes any of the fields. `permissionPresets` replaces the whole map and acts at once on the members who
   * name a preset.
   * @throws BrokerError forbidden for presets without members.manage; bad_request; conflict for a preset in
   *   use.
   */
  update(patch: TeamPatch, actor: Actor): Promise<Team>;
}

export function createTeam({ members }: { members: Members }): TeamService {
  return {
    read: members.team,
    async update({ name, directive, brief, permissionPresets, maxAgentHops }, actor) {
      if (permissionPresets !== undefined) {
        if (!actor.permissions.includes('members.manage')) {
          refuse('presets_need_members_manage');
        }
        refuseMalformedPresets(permissionPresets);
      }
      const given = {
        ...(name !== undefined && { name }),
        ...(directive !== undefined && { directive }),
        ...(brief !== undefined && { brief }),
        ...(permissionPresets !== undefined && { permissionPresets }),
      };
      if (Object.keys(given).length === 0 && maxAgentHops === undefined) return members.team();
      await members.change((current) => {
        const { maxAgentHops: present, ...team } = current.team;
        const hops = maxAgentHops === undefined ? present : maxAgentHops;
        if (permissionPresets !== undefined) {
          const { members: present } = current.store;
          members.refuseUnmanaged(
            present.map(({ rawPermissions }) => resolvePermissions(rawPermissions, permissionPresets)),
          );
          refusePresetsInUse(permissionPresets, present);
        }
        return { ...current, team: { ...team, ...given, ...(hops != null && { maxAgentHops: hops }) } };
      });
      return members.team();
    },
  };
}
