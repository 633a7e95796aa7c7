import type { Handlers } from '../../http/route.ts';
import type { BriefingService } from './briefing.service.ts';

export const briefingRoutes = (briefing: BriefingService): Handlers => ({
  briefing: ({ actor }) => briefing.brief(actor.name),
});
