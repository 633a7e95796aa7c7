/** The team's context (specification/team.md#team). */
import { z } from 'zod';
import { limits } from './limits.ts';
import { nameText, text } from './text.ts';

const presetName = 64;

export const Team = z
  .object({
    name: text(1, limits.team.name),
    directive: text(0, limits.team.directive),
    brief: text(0, limits.team.brief),
    permissionPresets: z.record(text(1, presetName), z.array(z.string())),
    /** After how many posts by agents in a row the next one is held; absent for the default. */
    maxAgentHops: z.int().min(1).max(limits.holds.hopsMax).optional(),
  })
  .meta({ id: 'Team' });
export type Team = z.infer<typeof Team>;

/** Any subset; `permissionPresets` replaces the whole map, and null as `maxAgentHops` restores the default. */
export const TeamPatch = Team.extend({
  name: nameText(1, limits.team.name),
  permissionPresets: z.record(nameText(1, presetName), z.array(z.string())),
  maxAgentHops: Team.shape.maxAgentHops.nullable(),
})
  .partial()
  .meta({ id: 'TeamPatch' });
export type TeamPatch = z.infer<typeof TeamPatch>;
