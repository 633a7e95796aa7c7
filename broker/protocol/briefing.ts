/** The information that a member gets on arrival (specification/team.md#briefing). */
import { z } from 'zod';
import { Member, Teammate } from './member.ts';
import { Objective } from './objective.ts';
import { Team } from './team.ts';

export const Briefing = Member.extend({
  team: Team,
  teammates: z.array(Teammate),
  /** The newest 50, active ones first. */
  openObjectives: z.array(Objective),
  /** How many there are, if that is more. */
  openObjectiveCount: z.int().positive().optional(),
}).meta({ id: 'Briefing' });
export type Briefing = z.infer<typeof Briefing>;
