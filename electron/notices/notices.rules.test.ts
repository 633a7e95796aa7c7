import { expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { isWorthNotice, noticeBody } from './notices.rules.ts';

const message = (part: Partial<Message>): Message =>
  ({
    id: '018f0000-0000-7000-8000-000000000000',
    ts: 0,
    from: 'ben',
    to: null,
    title: null,
    body: 'hello',
    level: 'info',
    data: {},
    attachments: [],
    ...part,
  }) as Message;

it.each<[string, Partial<Message>, boolean]>([
  ['a post to everyone', {}, false],
  ['a direct message', { to: 'ada' }, true],
  ['a direct message of her own', { from: 'ada', to: 'ada' }, false],
  ['a mention', { body: 'ask @ada, please' }, true],
  ['a mention in the title', { title: '@ada' }, true],
  ['a name that only begins like hers', { body: '@adam' }, false],
  ['a warning', { level: 'warning' }, true],
  ['a notice of level', { level: 'notice' }, false],
  ['an objective that is blocked', { data: { event: { type: 'objective.blocked' } } }, true],
  ['an objective with another watcher', { data: { event: { type: 'objective.watcher_added' } } }, false],
])('decides whether %s with %j is worth a notification: %s', (_name, part, expected) => {
  expect(isWorthNotice(message(part), 'ada')).toBe(expected);
});

it('escapes what the desktops of Linux would read as markup', () => {
  const text = '<a href="https://evil.example">1 &lt; 2</a> & more';
  expect(noticeBody(text, 'linux')).toBe(
    '&lt;a href="https://evil.example"&gt;1 &amp;lt; 2&lt;/a&gt; &amp; more',
  );
  expect(noticeBody(text, 'darwin')).toBe(text);
  expect(noticeBody(text, 'win32')).toBe(text);
});
