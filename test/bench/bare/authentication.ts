/**
 * Prints what the authentication of a request costs, in microseconds, for a token that was seen before, one
 * of a hundred.
 */

import { createTokens } from '../../../broker/features/tokens/tokens.service.ts';
import { authenticate } from '../../../broker/http/authenticate.ts';
import { createExpiries } from '../../../broker/runtime/expiries.ts';
import { hashToken, mintToken } from '../../../broker/security/token.ts';

const bearers = Array.from({ length: 100 }, mintToken);
const primaries = bearers.map((bearer, index) => ({ member: `m${index}`, hash: hashToken(bearer) }));
const tokens = createTokens({
  units: {
    allTokens: async () => [],
    changeTokens: async () => undefined,
    touchTokens: async () => undefined,
    beginRotation: async () => undefined,
  } as never,
  clock: Date.now,
  expiries: createExpiries(Date.now),
  configured: () => ({ primaries, members: new Set(primaries.map(({ member }) => member)) }),
  onRevoked: () => undefined,
  onWriteDeferred: () => undefined,
});
await tokens.load();

const credentials = {
  bearer(token: string) {
    const known = tokens.identify(token);
    return (
      known && {
        name: known.member,
        permissions: [],
        plane: 'bearer' as const,
        isRun: false,
        credentialId: known.id,
        expiresAt: null,
      }
    );
  },
  jwt: async () => null,
  session: () => null,
};
const headers = bearers.map((bearer) => ({ authorization: `Bearer ${bearer}` }));
const rounds = 300_000;
const run = () => {
  for (let n = 0; n < rounds; n++)
    void authenticate(
      { headers: headers[n % headers.length] ?? {}, place: { scheme: 'http', port: 80 }, address: '' },
      credentials,
    );
};
run();
const start = performance.now();
run();
console.log(((performance.now() - start) / rounds) * 1000);
process.exit(0);
