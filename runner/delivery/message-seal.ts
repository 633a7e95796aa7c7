/**
 * A word in the frame of a message by which the gateway knows that this runner wrote it. Files, pages, and tool results can
 * contain the frame of another message, and members know ids; nobody knows a seal before the agent has the message (ADR 0019).
 */
import { createHmac, randomBytes } from 'node:crypto';

const key = randomBytes(32);

/** Returns 16 hexadecimal characters. Valid as long as this process. */
export const sealOf = (messageId: string): string =>
  createHmac('sha256', key).update(messageId).digest('hex').slice(0, 16);
