import { expect, it } from 'vitest';
import { messageRow } from '../../testing/message-row.ts';
import { type MessageRow, messageJson, toMessage } from './message-row.rules.ts';

it.each<[string, Partial<MessageRow>]>([
  ['a broadcast', {}],
  ['a direct message', { recipient: 'ben', scope: 'dm:ada:ben' }],
  ['an answer', { in_reply_to: '019a0000-0000-7000-8000-000000000002' }],
  ['the final text of a turn', { auto: 1 }],
  ['a post of an agent', { agent_hops: 0 }],
  ['an edited message', { changed: 'edited', changed_at: 5 }],
  ['a deleted message', { changed: 'deleted', changed_at: 5 }],
  [
    'all of them',
    {
      title: 'News',
      in_reply_to: '019a0000-0000-7000-8000-000000000002',
      auto: 1,
      agent_hops: 12,
      level: 'critical',
    },
  ],
  [
    'data and attachments',
    { data: '{"thread":"chan:ch_1","n":[1,{"a":null}]}', attachments: '["/ada/a \\"b\\""]' },
  ],
  ['signs that JSON escapes', { title: '"\\\u2028', body: 'line\n\t"quoted" \u0000 \ud83d\ude00 \ud800' }],
])('%s has the same JSON as text and as a value', (_, over) => {
  const row = messageRow(over);
  expect(messageJson(row)).toBe(JSON.stringify(toMessage(row)));
});
