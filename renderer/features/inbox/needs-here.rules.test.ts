import { describe, expect, it } from 'vitest';
import type { InboxItem } from '#protocol/inbox.ts';
import { byAssignee, heldTitle, moreUnreadKey } from '#protocol/inbox-about.ts';
import { needsHere } from './needs-here.rules.ts';

const item = (key: string, rest: Partial<InboxItem>): InboxItem => ({
  ...{ key, kind: 'agent', title: key, scope: null, detail: '', at: null },
  place: { kind: 'settings' },
  ...rest,
});
const items = [
  item('silent', { place: { kind: 'member', name: 'tug' } }),
  item('other', { place: { kind: 'member', name: 'tugboat' } }),
  item('held', { title: heldTitle('tug'), place: { kind: 'held', id: 'h' } }),
  item('other held', { title: heldTitle('tugboat'), place: { kind: 'held', id: 'i' } }),
  item('blocked', { detail: byAssignee('tug', 'No chart'), place: { kind: 'objective', id: 'o' } }),
  item('other blocked', { detail: byAssignee('ben', 'tug: no'), place: { kind: 'objective', id: 'p' } }),
  item('direct', { place: { kind: 'conversation', scope: 'dm:tug' } }),
  item('mention', { place: { kind: 'conversation', scope: 'general' } }),
  item('disk', {}),
];
const known = { items, hasFailed: false, names: ['tug'], hasTrouble: false };
const keysOf = (over: Partial<Parameters<typeof needsHere>[0]>) =>
  needsHere({ ...known, ...over })?.map(({ key }) => key) ?? null;

describe('the items about the members of a screen', () => {
  it('are those that name one of them, in the order of the inbox', () => {
    expect(keysOf({})).toEqual(['silent', 'held', 'blocked', 'direct']);
    expect(keysOf({ names: ['tug', 'tugboat'] })).toEqual([
      ...['silent', 'other', 'held', 'other held', 'blocked', 'direct'],
    ]);
  });

  it('are none if the inbox has none about them', () => {
    expect(keysOf({ names: ['kim'] })).toEqual([]);
    expect(keysOf({ names: [] })).toEqual([]);
  });

  it.each([
    { name: 'before the inbox is loaded', over: { items: undefined } },
    { name: 'before the members are known', over: { names: undefined } },
    { name: 'after a request for the inbox failed', over: { names: ['kim'], hasFailed: true } },
    { name: 'beside a sign of trouble', over: { names: ['kim'], hasTrouble: true } },
    {
      name: 'if the inbox lists only a part',
      over: { names: ['kim'], items: [...items, item(moreUnreadKey, {})] },
    },
  ])('are unknown, and not none, $name', ({ over }) => {
    expect(keysOf(over)).toBeNull();
  });

  it('are said even if the inbox may be out of date', () => {
    expect(keysOf({ hasFailed: true, hasTrouble: true })).toContain('silent');
  });
});
