/** The team's context (specification/team.md#team). */
import { z } from 'zod';
import { limits } from './limits.ts';
import { text } from './text.ts';

export const Team = z
  .object({
    name: text(1, limits.team.name),
    directive: text(0, limits.team.directive),
    brief: text(0, limits.team.brief),
    permissionPresets: z.record(text(1, 64), z.array(z.string())),
  })
  .meta({ id: 'Team' });
export type Team = z.infer<typeof Team>;

/** Any subset; `permissionPresets` replaces the whole map. */
export const TeamPatch = Team.partial().meta({ id: 'TeamPatch' });
export type TeamPatch = z.infer<typeof TeamPatch>;
