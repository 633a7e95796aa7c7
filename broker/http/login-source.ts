/** The source of a login, as its request says (specification/authentication.md#login-limits). */
import { isLoopback } from '#protocol/loopback.ts';
import { bearerOf, deviceCookieOf } from './authenticate.ts';
import { sourceKey } from './rate-limit.ts';
import type { Call } from './route.ts';

export const loginSource = ({
  headers,
  sourceIp,
  place,
  reply,
}: Pick<Call<'logIn'>, 'headers' | 'sourceIp' | 'place' | 'reply'>) => ({
  userAgent: headers['user-agent'],
  address: sourceIp,
  source: sourceKey(sourceIp),
  network: sourceKey(sourceIp, 48),
  deviceCookie: deviceCookieOf(headers, place),
  bearer: bearerOf(headers),
  place,
  // A proxy on this machine makes remote requests look local, but they name another host.
  isLocal: isLoopback(reply.request.hostname) && isLoopback(sourceIp),
});
