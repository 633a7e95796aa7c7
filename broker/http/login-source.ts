/** Where a login comes from, as its request says (specification/authentication.md#login-limits). */
import { bearerOf, deviceCookieOf } from './authenticate.ts';
import { sourceKey } from './rate-limit.ts';
import type { Call } from './route.ts';

export const loginSource = ({
  headers,
  sourceIp,
  place,
}: Pick<Call<'logIn'>, 'headers' | 'sourceIp' | 'place'>) => ({
  userAgent: headers['user-agent'],
  address: sourceIp,
  source: sourceKey(sourceIp),
  deviceCookie: deviceCookieOf(headers, place),
  bearer: bearerOf(headers),
  place,
});
