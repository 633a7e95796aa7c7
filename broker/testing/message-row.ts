import type { MessageRow } from '../features/messages/message-row.rules.ts';

/** Returns a broadcast by ada as it is stored, with what the test needs otherwise. */
export const messageRow = (over: Partial<MessageRow> = {}): MessageRow => ({
  id: '019a0000-0000-7000-8000-000000000001',
  ts: 1_800_000_000_000,
  sender: 'ada',
  recipient: null,
  scope: 'general',
  title: null,
  body: 'hello',
  level: 'info',
  data: '{}',
  attachments: '[]',
  in_reply_to: null,
  auto: 0,
  agent_hops: null,
  ...over,
});
