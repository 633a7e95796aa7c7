import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { changedBy, isChangeable, noticedChange } from './message-changes.rules.ts';

const message = {
  id: 'm1',
  ts: 1000,
  from: 'ada',
  title: 'News',
  body: 'the walrus sleeps',
  data: { thread: 'chan:c1', more: 1 },
  attachments: ['/ada/a.txt'],
} as unknown as Message;
const notice = (type: string) =>
  ({
    id: 'm2',
    ts: 2000,
    from: 'ada',
    body: 'the orca sleeps',
    data: { event: { type, messageId: 'm1' } },
  }) as unknown as Message;

describe('the notice of a change', () => {
  it('of an edit gives the message its new text', () => {
    expect(noticedChange(notice('message.edited'))).toEqual({ kind: 'edited', messageId: 'm1' });
    expect(changedBy(message, notice('message.edited'), 'edited')).toEqual({
      ...message,
      body: 'the orca sleeps',
      edited: { at: 2000 },
    });
  });

  it('of a deletion leaves nothing of the message but its place', () => {
    expect(noticedChange(notice('message.deleted'))).toEqual({ kind: 'deleted', messageId: 'm1' });
    expect(changedBy(message, notice('message.deleted'), 'deleted')).toMatchObject({
      title: null,
      body: 'This message was deleted.',
      data: { thread: 'chan:c1' },
      attachments: [],
      deleted: { at: 2000 },
    });
  });

  it('is told from other events', () => {
    expect(noticedChange(notice('objective.created'))).toBeNull();
    expect(noticedChange(message)).toBeNull();
  });
});

it('a message can be changed by its sender, in time, and not once it is deleted', () => {
  expect(isChangeable(message, 'ada', 1500, 500)).toBe(true);
  expect(isChangeable(message, 'ada', 1501, 500)).toBe(false);
  expect(isChangeable(message, 'ben', 1500, 500)).toBe(false);
  expect(isChangeable({ ...message, deleted: { at: 1 } }, 'ada', 1500, 500)).toBe(false);
  expect(isChangeable(notice('message.edited'), 'ada', 2000, 500)).toBe(false);
});
