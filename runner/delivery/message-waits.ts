/**
 * Tool calls that wait for messages. A message that comes meanwhile goes to the call and not beside it, so that the
 * model reads each message once (specification/runner.md#tools-beside-the-23).
 */
import type { Bundle } from '../agents/agent.ts';

export interface MessageWaits {
  /**
   * Claims what waits, or the first that comes; null if nothing came in time or the signal aborted. `coming`: the
   * agent already has a message that its turn takes only after the call.
   */
  next(timeoutMs: number, signal: AbortSignal): Promise<Bundle | 'coming' | null>;
  /** A message came, or one waits again. */
  arrived(): void;
  /** Gives a bundle on its way to the model to a waiting call; false if none waits, or the result of a call would cut it. */
  take(bundle: Bundle): boolean;
}

interface Source {
  claimBundle(maxCharacters: number, fewest: number): Promise<Bundle | null>;
  putBack(messageIds: readonly string[]): void;
}

/**
 * `maxCharacters`: the longest text that a call returns whole; one message that is longer by itself is given, too. `delivery` is asked for later than this is made, because the delivery itself uses `take`. `isComing`: whether
 * the agent has a message that its turn has not taken yet.
 */
export function createMessageWaits(
  delivery: () => Source,
  isComing: () => boolean,
  maxCharacters: number,
): MessageWaits {
  const waiting: ((bundle: Bundle) => void)[] = [];
  let isClaiming = false;

  function take(bundle: Bundle): boolean {
    if (bundle.text.length > maxCharacters && bundle.messageIds.length > 1) return false;
    const first = waiting.shift();
    first?.(bundle);
    return first !== undefined;
  }

  async function claim(): Promise<void> {
    if (isClaiming || waiting.length === 0) return;
    isClaiming = true;
    try {
      const bundle = await delivery().claimBundle(maxCharacters, 1);
      // The call may have ended meanwhile.
      if (bundle !== null && !take(bundle)) delivery().putBack(bundle.messageIds);
    } finally {
      isClaiming = false;
    }
  }

  return {
    take,
    arrived: () => void claim(),
    async next(timeoutMs, signal) {
      if (isComing()) return 'coming';
      const { promise, resolve } = Promise.withResolvers<Bundle | null>();
      const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const giveUp = (): void => {
        const at = waiting.indexOf(resolve);
        if (at >= 0) waiting.splice(at, 1);
        resolve(null);
      };
      if (end.aborted) return null;
      end.addEventListener('abort', giveUp, { once: true });
      waiting.push(resolve);
      void claim();
      return promise;
    },
  };
}
