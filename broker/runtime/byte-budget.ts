/** How many bytes may be held at a time, by each member and by all: what does not fit waits its turn, and in the end is turned away. */
import { BrokerError } from '#protocol/errors.ts';

export interface ByteBudget {
  /**
   * Resolves with what gives the bytes back, once they fit.
   * @throws BrokerError unavailable when they did not in time.
   */
  reserve(member: string, bytes: number): Promise<() => void>;
}

export interface ByteBudgetOptions {
  perMember: number;
  all: number;
  waitMs: number;
}

interface Waiting {
  member: string;
  bytes: number;
  admit: () => void;
}

/** `bytes` of one call must fit `perMember`, and `perMember` must fit `all`. */
export function createByteBudget({ perMember, all, waitMs }: ByteBudgetOptions): ByteBudget {
  const heldByMember = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let held = 0;

  function hold(member: string, bytes: number): void {
    const sum = (heldByMember.get(member) ?? 0) + bytes;
    if (sum === 0) heldByMember.delete(member);
    else heldByMember.set(member, sum);
    held += bytes;
  }

  /** In the order they came; whoever has used up its own share holds up nobody else. */
  function admitWaiting(): void {
    const blocked = new Set<string>();
    for (const one of waiting) {
      if (blocked.has(one.member)) continue;
      if ((heldByMember.get(one.member) ?? 0) + one.bytes > perMember) blocked.add(one.member);
      else if (held + one.bytes > all) return;
      else one.admit();
    }
  }

  function releaseOnce(member: string, bytes: number): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      hold(member, -bytes);
      admitWaiting();
    };
  }

  return {
    reserve(member, bytes) {
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          member,
          bytes,
          admit() {
            clearTimeout(deadline);
            waiting.delete(one);
            hold(member, bytes);
            resolve(releaseOnce(member, bytes));
          },
        };
        const deadline = setTimeout(() => {
          waiting.delete(one);
          reject(
            new BrokerError('unavailable', 'too much is being uploaded at the moment; try again in a while'),
          );
          admitWaiting();
        }, waitMs);
        waiting.add(one);
        admitWaiting();
      });
    },
  };
}
