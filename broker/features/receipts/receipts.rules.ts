/** Determines which of two facts about a message is the stronger one (specification/receipts.md#states). Pure. */
import { refuse } from '#protocol/errors.ts';
import type { DetailedRefusal } from '#protocol/model-refusal.ts';
import type { Receipt, ReceiptState } from '#protocol/receipt.ts';
import { receiptStates } from '#protocol/receipt-states.ts';

export const isStronger = (state: ReceiptState, than: ReceiptState): boolean =>
  receiptStates.indexOf(state) > receiptStates.indexOf(than);

export interface Known {
  state: ReceiptState;
  /** Epoch ms; null if only the fact is known. */
  at: number | null;
}

/** Returns the strongest known state; a message that exists is `stored`. */
export function strongest(storedAt: number, known: readonly (Known | null)[]): Known {
  let best: Known = { state: 'stored', at: storedAt };
  for (const one of known) if (one !== null && isStronger(one.state, best.state)) best = one;
  return best;
}

/** A clock may run slightly ahead, but not a day. @throws BrokerError bad_request. */
export function refuseFuture(at: number, now: number): void {
  if (at > now + 60_000) refuse('time_in_the_future');
}

/** Says why a message has not reached the recipient's model, if its model refuses now. */
export function withRefusal(receipt: Receipt, refusal: DetailedRefusal | undefined): Receipt {
  if (refusal === undefined || !isStronger('in_context', receipt.state)) return receipt;
  return { ...receipt, model: refusal };
}
