/** Which of two things known of a message is the stronger, and whose message it is (D19). Pure. */
import { refuse } from '#protocol/errors.ts';
import type { ReceiptState } from '#protocol/receipt.ts';
import { receiptStates } from '#protocol/receipt-states.ts';

export const isStronger = (state: ReceiptState, than: ReceiptState): boolean =>
  receiptStates.indexOf(state) > receiptStates.indexOf(than);

export interface Known {
  state: ReceiptState;
  /** Epoch ms; null where only that it happened is known. */
  at: number | null;
}

/** The strongest of what is known; a message that is there is `stored`. */
export function strongest(storedAt: number, known: readonly (Known | null)[]): Known {
  let best: Known = { state: 'stored', at: storedAt };
  for (const one of known) if (one !== null && isStronger(one.state, best.state)) best = one;
  return best;
}

/** A clock that runs a little ahead is no lie; a day is. @throws BrokerError bad_request. */
export function refuseFuture(at: number, now: number): void {
  if (at > now + 60_000) refuse('bad_request', 'body.at: lies in the future; send epoch milliseconds');
}
