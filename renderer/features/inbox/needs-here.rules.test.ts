import { describe, expect, it } from 'vitest';
import type { InboxItem } from '#protocol/inbox.ts';
import { byAssignee, heldTitle, isAbout, moreUnreadKey } from '#protocol/inbox-about.ts';
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
const about =
  (...names: string[]) =>
  (one: InboxItem) =>
    names.some((name) => isAbout(one, name));
const known = { items, hasFailed: false, isHere: about('tug'), hasSigns: false };
const keysOf = (over: Partial<Parameters<typeof needsHere>[0]>) =>
  needsHere({ ...known, ...over })?.map(({ key }) => key) ?? null;

describe('the items about the members of a screen', () => {
  it('are those that name one of them, in the order of the inbox', () => {
    expect(keysOf({})).toEqual(['silent', 'held', 'blocked', 'direct']);
    expect(keysOf({ isHere: about('tug', 'tugboat') })).toEqual([
      ...['silent', 'other', 'held', 'other held', 'blocked', 'direct'],
    ]);
  });

  it('are none if the inbox has none about them', () => {
    expect(keysOf({ isHere: about('kim') })).toEqual([]);
    expect(keysOf({ isHere: about() })).toEqual([]);
  });

  it.each([
    { name: 'before the inbox is loaded', over: { items: undefined } },
    { name: 'before the members are known', over: { isHere: undefined } },
    { name: 'after a request for the inbox failed', over: { isHere: about('kim'), hasFailed: true } },
    { name: 'beside a sign of trouble', over: { isHere: about('kim'), hasSigns: true } },
    {
      name: 'if the inbox lists only a part',
      over: { isHere: about('kim'), items: [...items, item(moreUnreadKey, {})] },
    },
  ])('are unknown, and not none, $name', ({ over }) => {
    expect(keysOf(over)).toBeNull();
  });

  it('are said even if the inbox may be out of date', () => {
    expect(keysOf({ hasFailed: true, hasSigns: true })).toContain('silent');
  });
});
