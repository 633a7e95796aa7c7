import type { Handlers } from '../../http/route.ts';
import type { TeamService } from './team.service.ts';

export const teamRoutes = (team: TeamService): Handlers => ({
  team: () => team.read(),
  updateTeam: ({ actor, body }) => team.update(body, actor),
});
