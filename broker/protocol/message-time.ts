/** When a message was accepted (specification/diagnostics.md#clock). */
import type { Message } from './message.ts';

/** Returns epoch ms: `ts`, or the time that the message has beside it because `ts` was in the future. */
export const acceptedAt = (message: Pick<Message, 'ts' | 'acceptedAt'>): number =>
  message.acceptedAt ?? message.ts;
