import { sourceKey } from '../../http/rate-limit.ts';
import type { Handlers } from '../../http/route.ts';
import type { PlatformConnect } from './platform-connect.service.ts';

export const platformConnectRoutes = (platform: PlatformConnect): Handlers => ({
  bindPlatform: ({ actor, body }) => platform.bind(actor.name, body),
  lookUpPlatform: ({ query, sourceIp }) => platform.lookUp(query.code, sourceKey(sourceIp)),
});
