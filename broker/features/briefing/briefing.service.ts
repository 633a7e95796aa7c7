/** The briefing that a member gets on arrival (specification/team.md#briefing). */
import type { Briefing } from '#protocol/briefing.ts';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import type { Objective } from '#protocol/objective.ts';
import type { Members } from '../members/members.service.ts';

export interface BriefingService {
  brief(name: MemberName): Promise<Briefing>;
}

export interface BriefingDeps {
  members: Members;
  /** `active` ones come first. */
  openObjectivesOf: (name: MemberName) => Promise<{ objectives: Objective[]; count: number }>;
}

export function createBriefing({ members, openObjectivesOf }: BriefingDeps): BriefingService {
  return {
    async brief(name) {
      const { objectives, count } = await openObjectivesOf(name);
      const member = members.find(name);
      if (member === undefined) refuse('no_longer_a_member');
      return {
        ...members.full(member),
        team: members.team(),
        teammates: [...members.teammates()],
        openObjectives: objectives,
        ...(count > objectives.length && { openObjectiveCount: count }),
      };
    },
  };
}
