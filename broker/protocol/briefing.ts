/** What a member is told on arrival (specification/team.md#briefing). */
import { z } from 'zod';
import { Member, Teammate } from './member.ts';
import { Objective } from './objective.ts';
import { Team } from './team.ts';

export const Briefing = Member.extend({
  team: Team,
  teammates: z.array(Teammate),
  openObjectives: z.array(Objective),
}).meta({ id: 'Briefing' });
export type Briefing = z.infer<typeof Briefing>;
