/**
 * How many bytes may be held at a time, per member and in total: what does not fit waits its turn, and is
 * refused in the end.
 */
import { refusal } from '#protocol/errors.ts';

export interface ByteBudget {
  /**
   * Resolves, once the bytes fit, with the function that gives them back.
   * @throws BrokerError unavailable if they did not fit in time.
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

/** `bytes` of one call must fit into `perMember`, and `perMember` into `all`. */
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

  /** In the order of arrival; a member that has used up its own share delays nobody else. */
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
          reject(refusal('too_much_uploading'));
          admitWaiting();
        }, waitMs);
        waiting.add(one);
        admitWaiting();
      });
    },
  };
}
