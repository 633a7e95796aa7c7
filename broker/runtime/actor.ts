/** Who makes a request: the member as it is now, and the credential it came with. */
import type { Leaf } from '#protocol/access.ts';
import type { MemberName } from '#protocol/ids.ts';

export interface Actor {
  name: MemberName;
  permissions: readonly Leaf[];
  plane: 'bearer' | 'session' | 'jwt';
  /** The token's, session's or JWT's id: when it ends, the streams it opened end. */
  credentialId: string;
  /** Epoch ms; null when the credential does not expire. */
  expiresAt: number | null;
}

/** Who reads, as units of work need it: holders of members.manage are in every thread. */
export interface Reader {
  name: string;
  isManager: boolean;
}
