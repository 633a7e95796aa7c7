/** Whether a request is still made with a credential that is accepted: it may have ended while the request was served. */
import type { Actor } from '../../runtime/actor.ts';
import type { Tokens } from '../tokens/tokens.service.ts';
import type { Sessions } from './sessions.service.ts';

/** Returns whether neither the credential nor the token from which it descends ends at the moment. */
export function createIsLive({
  tokens,
  sessions,
}: {
  tokens: Pick<Tokens, 'isValid' | 'isEnding'>;
  sessions: Pick<Sessions, 'has' | 'tokenOf'>;
}): (actor: Actor) => boolean {
  return ({ plane, credentialId }) => {
    if (plane === 'bearer') return tokens.isValid(credentialId);
    const token = sessions.tokenOf(credentialId);
    return plane === 'jwt' || (sessions.has(credentialId) && !(token !== null && tokens.isEnding(token)));
  };
}
