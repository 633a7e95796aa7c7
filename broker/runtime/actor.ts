/** The caller of a request: the present member, and the credential of the request. */
import type { Leaf } from '#protocol/access.ts';
import type { MemberName } from '#protocol/ids.ts';

export interface Actor {
  name: MemberName;
  permissions: readonly Leaf[];
  plane: 'bearer' | 'session' | 'jwt';
  /** The id of the token, session, or JWT: when it ends, the streams that it opened end. */
  credentialId: string;
  /** The credential is the token of a run. */
  isRun: boolean;
  /** Epoch ms; null if the credential does not expire. */
  expiresAt: number | null;
}

/** The reader, as units of work need it: holders of members.manage are in every thread. */
export interface Reader {
  name: string;
  isManager: boolean;
}
