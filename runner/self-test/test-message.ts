/** A message as teammates' messages look to a model, so that the gateway recognizes it. */
import { randomUUID } from 'node:crypto';
import { MessageId } from '#protocol/ids.ts';
import type { Message } from '#protocol/message.ts';
import type { Bundle } from '../agents/agent.ts';
import { bundleText } from '../delivery/message-block.rules.ts';
import { sealOf } from '../delivery/message-seal.ts';

export interface TestMessage extends Bundle {
  readonly id: string;
  readonly message: Message;
}

const tester = 'muster doctor';

export function createTestMessage(body: string): TestMessage {
  // Ids of messages have version 7, random ones version 4.
  const random = randomUUID();
  const id = MessageId.parse(`${random.slice(0, 14)}7${random.slice(15)}`);
  const message: Message = {
    id,
    ts: Date.now(),
    from: tester,
    to: tester,
    title: null,
    body,
    level: 'info',
    data: {},
    attachments: [],
  };
  const around = { self: tester, roleOf: () => undefined, sealOf, slugOf: () => undefined, objectives: [] };
  return { id, message, messageIds: [id], text: bundleText([{ message, again: false }], around) };
}
