/** Which member a request comes from (specification "Authentication", D1, D3). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Plane } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import type { Actor } from '../runtime/actor.ts';

/** Resolves a credential to the member as it is now; null for anything not valid at this moment. */
export interface CredentialReader {
  bearer(token: string): Actor | null;
}

const bearerPattern = /^bearer +(\S+) *$/i;

/** @throws BrokerError unauthenticated without naming a reason; forbidden for a valid credential on the wrong plane. */
export function authenticate(
  plane: Exclude<Plane, 'none'>,
  headers: IncomingHttpHeaders,
  credentials: CredentialReader,
): Actor {
  const token = bearerPattern.exec(headers.authorization ?? '')?.[1];
  const actor = token === undefined ? null : credentials.bearer(token);
  if (actor === null)
    refuse('unauthenticated', 'a valid credential is needed: send Authorization: Bearer <token>');
  if (plane !== 'dual' && plane !== actor.plane) {
    refuse(
      'forbidden',
      plane === 'bearer' ? 'this path takes a bearer token only' : 'this path takes a session only',
    );
  }
  return actor;
}
