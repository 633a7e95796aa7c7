import { describe, expect, it } from 'vitest';
import { Message } from '#protocol/message.ts';
import { localTime, messageLine } from './message-line.ts';

const ts = new Date(2026, 0, 2, 3, 4, 5).getTime();
const message = (fields: object) =>
  Message.parse({
    id: '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071',
    ts,
    from: 'ada',
    to: null,
    title: null,
    body: 'hi',
    level: 'info',
    data: {},
    attachments: [],
    ...fields,
  });

describe('a message line', () => {
  it('begins with the local time', () => {
    expect(localTime(ts)).toBe('2026-01-02 03:04:05');
    const line = messageLine(message({ ts: ts + 86_400_000, acceptedAt: ts }));
    expect(line).toBe('2026-01-02 03:04:05 ada → #general: hi');
  });

  it.each([
    [{}, 'ada → #general: hi'],
    [{ to: 'ben' }, 'ada → ben: hi'],
    [{ data: { thread: 'chan:ch_0000000001' } }, 'ada → #ch_0000000001: hi'],
    [{ data: { thread: 'obj:obj_0000000001' } }, 'ada → obj_0000000001: hi'],
    [{ title: 'Plan', level: 'warning' }, 'ada → #general [Plan] (warning): hi'],
    [{ attachments: ['/ada/a.txt'] }, 'ada → #general: hi\n    attached: /ada/a.txt'],
  ])('says who wrote to whom: %j', (fields, line) => {
    expect(messageLine(message(fields))).toBe(`2026-01-02 03:04:05 ${line}`);
  });

  it('lets no part of a message control the terminal', () => {
    const evil = '\x1b[2J';
    const line = messageLine(
      message({ from: evil, to: evil, title: evil, body: evil, attachments: [evil], data: { thread: evil } }),
    );
    expect(line).not.toContain('\x1b');
  });
});
