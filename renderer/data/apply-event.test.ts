/** The changes that live events make in the cache. */
import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import type { Unread } from '#protocol/receipt.ts';
import { applyEvent, withUnread } from './apply-event.ts';

const idOf = (n: number) => String(n).padStart(6, '0');
const message = (n: number) =>
  ({ id: idOf(n), ts: n, from: 'ben', to: null, body: 'x', data: {} }) as Message;

describe('a receipt', () => {
  const about = (data: object) => applyEvent('receipt', data, 'ada').map(({ key }) => key[0]);

  it('for the member’s own reading refetches the unread counts; one for another member does not', () => {
    expect(about({ messageId: 'x', member: 'ada', state: 'read', at: 1 })).toEqual([
      'receipts',
      'unread',
      'inbox',
    ]);
    expect(about({ messageId: 'x', member: 'ben', state: 'read', at: 1 })).toEqual(['receipts']);
  });
});

describe('an unread message', () => {
  const none: Unread = { scopes: [], newestId: null };
  const general = (count: number) => ({ scope: 'general', count, mentions: 0, lastReadId: null });
  const counted = (held: Unread, n: number) => withUnread(held, 'general', message(n), 'ada');

  it('is counted once, whether the cached counts are from before or after it', () => {
    const two: Unread = { scopes: [general(2)], newestId: idOf(2) };
    expect(counted({ scopes: [general(1)], newestId: idOf(1) }, 2)).toEqual(two);
    expect(counted(two, 2)).toBe(two);
    expect(counted(two, 1)).toBe(two);
  });

  it('leaves the mark of counts that are only a part', () => {
    expect(counted({ ...none, more: true }, 1)).toMatchObject({ more: true });
  });

  it('starts a count if there was none, and leaves other conversations unchanged', () => {
    const one: Unread = { scopes: [general(1)], newestId: idOf(1) };
    expect(counted(none, 1)).toEqual(one);
    expect(counted({ scopes: [general(0)], newestId: null }, 1)).toEqual(one);
    const direct = { scope: 'dm:ben', count: 3, mentions: 1, lastReadId: null };
    const { scopes } = counted({ scopes: [direct, general(1)], newestId: idOf(1) }, 2);
    expect(scopes).toEqual([direct, general(2)]);
  });

  it('counts as a mention only with the whole name, as in the broker', () => {
    const mentions = (body: string) =>
      withUnread(none, 'general', { ...message(1), body }, 'ada').scopes[0]?.mentions;
    expect(mentions('look, @ada.')).toBe(1);
    expect(mentions('(@ada)')).toBe(1);
    for (const other of ['@ada-2', '@ada.lovelace', '@adam', 'mail@ada'])
      expect(mentions(`look, ${other}`), other).toBe(0);
  });
});

describe('an event of the live stream', () => {
  const keysOf = (event: string, data: object) => applyEvent(event, data, 'ada').map(({ key }) => key);

  it('adds a message to the conversation in which the reader sees it', () => {
    const threadOf = (part: object) => keysOf('message', { ...message(1), ...part })[0];
    expect(threadOf({})).toEqual(['thread', 'general']);
    expect(threadOf({ data: { thread: 'chan:general' } })).toEqual(['thread', 'general']);
    expect(threadOf({ data: { thread: 'chan:c1' } })).toEqual(['thread', 'chan:c1']);
    expect(threadOf({ to: 'ada' })).toEqual(['thread', 'dm:ben']);
    expect(threadOf({ from: 'ada', to: 'ben' })).toEqual(['thread', 'dm:ben']);
  });

  it('refetches an objective when a notice in its thread reports a change', () => {
    const data = { thread: 'obj:o1', event: { type: 'objective.blocked' } };
    expect(keysOf('message', { ...message(1), data })).toContainEqual(['objective', 'o1']);
  });

  it('refetches a channel and its thread when the channel changes', () => {
    expect(keysOf('change', { resource: 'channel', id: 'c1' })).toContainEqual(['thread', 'chan:c1']);
  });

  it.each([
    { resource: 'channel', id: 'c1' },
    { resource: 'objective', id: 'o1' },
  ])('reads shared and opened files again when the members of a $resource may have changed', (change) => {
    expect(keysOf('change', change)).toEqual(expect.arrayContaining([['sharedFiles'], ['files', 'entry']]));
  });

  it('refetches the folder of a file, and those above that do not have the way to it yet', () => {
    const listed = (path: string) => ({ pages: [{ entries: [{ path }] }] });
    const isRead = (folder: string, held?: unknown) =>
      applyEvent('change', { resource: 'file', id: '/ada/maps/bay/a.png' }, 'ada').some(
        (change) =>
          change.kind === 'refetch' &&
          (change.isOf?.(['files', folder], held) ?? change.key.join() === `files,${folder}`),
      );
    expect(isRead('/ada/maps/bay', listed('/ada/maps/bay/a.png'))).toBe(true);
    expect(isRead('/ada', listed('/ada/notes'))).toBe(true);
    expect(isRead('/ada', listed('/ada/maps'))).toBe(false);
    expect(isRead('/', listed('/ada'))).toBe(false);
    expect(isRead('/ada/mast', listed('/ada/mast/x'))).toBe(false);
  });

  it('refetches everything after a reset, and nothing for an unknown event', () => {
    expect(keysOf('reset', {})).toEqual([[]]);
    expect(keysOf('weather', {})).toEqual([]);
  });
});
