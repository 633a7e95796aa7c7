/** The addresses of one broker, which a client tries in turn (docs/decisions/0071-several-addresses-of-a-team.md). */
import type { Agent } from 'node:http';
import { ConnectionError } from './connection-error.ts';

export interface Address {
  url: string;
  /** The agent whose connections are used. That of a further address sends nothing unless it sees the confirmed key. */
  agent: Agent;
}

/** One attempt. It calls `onConnected` when it has a connection: from then on, the request may have arrived. */
export type Attempt<T> = (address: Address, onConnected: () => void) => Promise<T>;

export interface AddressTurns {
  /** The address that a person gave. */
  readonly first: Address;
  /** The address that was reached last, or is tried next. */
  readonly present: Address;
  readonly hasOthers: boolean;
  /** Replaces all addresses but the first; what is among them already is kept. */
  replaceFurther(further: readonly Address[]): void;
  /**
   * Begins with the present address and tries the next one only if no connection could be opened. `mayGoOn` returns false
   * when nobody waits anymore. @throws what the last attempt with a connection threw; if there was none, the error of the
   * first address.
   */
  reach<T>(attempt: Attempt<T>, mayGoOn: () => boolean): Promise<T>;
}

/** Somebody may intercept the connection, which a person has to know. */
const isForeignKey = (error: unknown): boolean => error instanceof ConnectionError && error.reason === 'tls';

/** The error of one address, when none of `count` can be reached. */
const ofAll = (error: unknown, count: number): unknown =>
  error instanceof ConnectionError && count > 1
    ? new ConnectionError(
        error.reason,
        `${error.fault}, and no other address of the team can be reached`,
        error.remedy,
      )
    : error;

export function createAddressTurns(first: Address): AddressTurns {
  let addresses = [first];
  let present = first;
  const after = (address: Address): Address =>
    addresses[(addresses.indexOf(address) + 1) % addresses.length] ?? first;
  return {
    first,
    get present() {
      return present;
    },
    get hasOthers() {
      return addresses.length > 1;
    },
    replaceFurther(further) {
      const known = new Map(addresses.map((address) => [address.url, address]));
      addresses = [first, ...further.map((address) => known.get(address.url) ?? address)];
      if (!addresses.includes(present)) present = first;
    },
    async reach(attempt, mayGoOn) {
      let ofFirst: { error: unknown } | null = null;
      let address = present;
      for (let left = addresses.length; ; left -= 1) {
        let isConnected = false;
        try {
          return await attempt(address, () => {
            isConnected = true;
            present = address;
          });
        } catch (error) {
          if (isConnected || !mayGoOn()) throw error;
          if (address === first) ofFirst = { error };
          if (address === first && isForeignKey(error)) throw error;
          // Another request may have found a better one meanwhile.
          if (present === address) present = after(address);
          if (left <= 1) throw ofAll(ofFirst === null ? error : ofFirst.error, addresses.length);
          address = after(address);
        }
      }
    },
  };
}
