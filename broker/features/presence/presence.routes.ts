import type { Handlers } from '../../http/route.ts';
import type { PresenceService } from './presence.service.ts';

export const presenceRoutes = (presence: PresenceService): Handlers => ({
  roster: ({ query }) => presence.roster(query),
  reportBusy: ({ actor, body }) => {
    presence.reportBusy(actor.name, body.busy);
    return undefined;
  },
  reportModel: ({ actor, body }) => {
    presence.reportModel(actor.name, body);
    return undefined;
  },
});
