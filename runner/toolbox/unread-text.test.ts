import { expect, it } from 'vitest';
import { unreadText } from './unread-text.ts';

const scopeOf = (scope: string, count: number) => ({ scope, count, mentions: 0, lastReadId: null });
const none = new Map<string, string>();

it('a list that is whole has no note', () => {
  expect(unreadText({ scopes: [scopeOf('dm:ben', 2)], newestId: null }, none)).toEqual({
    text: 'unread:\n- dm:ben: 2 unread, 0 mentions, read up to -',
    notes: [],
    structured: { scopes: [scopeOf('dm:ben', 2)] },
  });
});

it('a list that the broker cut says so, and so does its structure', () => {
  const { notes, structured } = unreadText(
    { scopes: [scopeOf('dm:ben', 2)], newestId: null, more: true },
    none,
  );
  expect(notes).toEqual([expect.stringMatching(/^There may be more: .* call unread again\.$/)]);
  expect(structured).toMatchObject({ more: true });
});

it('nothing is unread is not claimed of conversations that were not counted', () => {
  const reply = { scopes: [scopeOf('dm:ben', 0)], newestId: null };
  expect(unreadText(reply, none).text).toBe('nothing is unread');
  expect(unreadText({ ...reply, more: true }, none).text).toBe(
    'nothing is unread in the conversations with the newest messages',
  );
});
