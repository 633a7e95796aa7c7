/** How many messages fit a bundle, and how many may wait. Pure. */
import type { Message } from '#protocol/message.ts';

interface Waiting {
  message: Pick<Message, 'body'>;
}

const maxBundleMessages = 20;
const maxBundleCharacters = 60_000;
/**
 * The most messages that wait here for an agent that accepts none; older ones are reported as a count, and
 * `recent` reads them (specification/receipts.md#waiting-messages).
 */
const maxWaiting = 1000;
const maxWaitingCharacters = 8_000_000;

/** Returns as many as fit one bundle, in order; a single large one goes alone. */
export function bundled<Entry extends Waiting>(waiting: readonly Entry[]): Entry[] {
  const entries: Entry[] = [];
  let size = 0;
  for (const entry of waiting) {
    size += entry.message.body.length;
    if (entries.length === maxBundleMessages || (entries.length > 0 && size > maxBundleCharacters)) break;
    entries.push(entry);
  }
  return entries;
}

/** Returns the oldest ones that are too many, never the newest. */
export function excess<Entry extends Waiting>(waiting: readonly Entry[]): Entry[] {
  let size = waiting.reduce((sum, { message }) => sum + message.body.length, 0);
  const left: Entry[] = [];
  for (const entry of waiting.slice(0, -1)) {
    if (waiting.length - left.length <= maxWaiting && size <= maxWaitingCharacters) break;
    size -= entry.message.body.length;
    left.push(entry);
  }
  return left;
}
