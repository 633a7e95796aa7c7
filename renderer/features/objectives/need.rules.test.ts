import { describe, expect, it } from 'vitest';
import type { InboxItem } from '#protocol/inbox.ts';
import { moreUnreadKey } from '#protocol/inbox-about.ts';
import type { Objective } from '#protocol/objective.ts';
import { aspectOf, isOfObjective, type NeedFacts, needOf } from './need.rules.ts';

const id = '01J00000000000000000000000' as Objective['id'];
const item = (over: Partial<InboxItem>): InboxItem => ({
  key: 'an item',
  kind: 'blocked',
  title: '',
  scope: null,
  detail: '',
  at: null,
  place: { kind: 'objective', id },
  ...over,
});
const nothing = 'It needs nothing from you now.';
const sentenceFor = (
  objective: Partial<NeedFacts['objective']>,
  { inbox = [], ...over }: Partial<NeedFacts> = {},
) =>
  needOf({
    objective: { id, status: 'active', assignee: 'ben', originator: 'ada', ...objective },
    self: 'ada',
    mayUpdate: false,
    mayDiscuss: true,
    inbox,
    ...over,
  });

describe('what an objective needs of the reader', () => {
  it.each(['active', 'done', 'cancelled'] as const)(
    'is nothing if it is %s and no item is about it',
    (status) => {
      expect(sentenceFor({ status })).toEqual({ sentence: nothing, act: null, result: null });
    },
  );

  it('is not said while the inbox is not known', () => {
    const facts = {
      objective: { id, status: 'active', assignee: 'ben', originator: 'ada' },
      self: 'ada',
    } as const;
    expect(needOf({ ...facts, mayUpdate: true, mayDiscuss: true, inbox: undefined }).sentence).toBeNull();
  });

  it.each([
    ['the inbox lists only a part', { inbox: [item({ key: moreUnreadKey, place: { kind: 'settings' } })] }],
    ['the inbox may be out of date', { hasFailed: true }],
  ])('is not said to be nothing if %s', (_, facts) => {
    expect(sentenceFor({}, facts).sentence).toBeNull();
  });

  it('is the work, if it is assigned to the reader', () => {
    expect(sentenceFor({ assignee: 'ada' }).act).toBe('complete');
    expect(sentenceFor({ assignee: 'ada', status: 'blocked' }).act).toBe('unblock');
  });

  it('is to read the result and to clear it from the inbox', () => {
    const result = item({ kind: 'result' });
    expect(sentenceFor({ status: 'done' }, { inbox: [result] })).toEqual({
      sentence: 'ben completed it for you: read the result, then clear it from your inbox.',
      act: 'clear',
      result,
    });
  });

  it('is an answer or to unblock it, whichever the reader may do', () => {
    const blocked = { status: 'blocked' } as const;
    const inbox = [item({})];
    const both = sentenceFor(blocked, { inbox, mayUpdate: true });
    expect(both).toMatchObject({
      sentence: 'It waits for you: answer in its thread, or unblock it.',
      act: 'answer',
    });
    expect(sentenceFor(blocked, { inbox })).toMatchObject({
      sentence: 'It waits for you: answer in its thread.',
      act: 'answer',
    });
    expect(sentenceFor(blocked, { inbox, mayUpdate: true, mayDiscuss: false })).toMatchObject({
      sentence: 'It waits for you: unblock it.',
      act: 'unblock',
    });
    expect(sentenceFor(blocked, { inbox, mayDiscuss: false }).sentence).toBe(
      'It waits for you, because the reason mentions you.',
    );
  });

  it('stays with the one who can unblock it when its originator has dealt with the item', () => {
    const { sentence } = sentenceFor({ status: 'blocked' });
    expect(sentence).toBe('It stays blocked until ben or a manager unblocks it.');
    expect(sentenceFor({ status: 'blocked' }, { self: 'kim' }).sentence).toBe(nothing);
  });

  it.each([
    ['a held post', item({ kind: 'held', scope: `obj:${id}`, place: { kind: 'held', id: 'x' } })],
    ['a mention', item({ kind: 'mention', place: { kind: 'conversation', scope: `obj:${id}` } })],
    ['its assignee', item({ kind: 'agent', place: { kind: 'member', name: 'ben' } })],
  ])('is not nothing if the inbox has %s', (_, one) => {
    expect(sentenceFor({}, { inbox: [one] }).sentence).not.toBe(nothing);
    expect(sentenceFor({}, { inbox: [item({ place: { kind: 'objective', id: 'another' } })] }).sentence).toBe(
      nothing,
    );
  });
});

it('an item about the assignee is about its open objectives only', () => {
  const agent = item({ kind: 'agent', place: { kind: 'member', name: 'ben' } });
  expect(aspectOf(agent, { id, status: 'blocked', assignee: 'ben' })).toBe('assignee');
  expect(aspectOf(agent, { id, status: 'done', assignee: 'ben' })).toBeNull();
  expect(aspectOf(agent, { id, status: 'active', assignee: 'kim' })).toBeNull();
});

it.each<[boolean, Partial<InboxItem>]>([
  [true, {}],
  [true, { kind: 'held', scope: `obj:${id}`, place: { kind: 'held', id: 'h1' } }],
  [true, { kind: 'mention', scope: `obj:${id}`, place: { kind: 'conversation', scope: `obj:${id}` } }],
  [false, { kind: 'mention', scope: 'general', place: { kind: 'conversation', scope: 'general' } }],
  [false, { kind: 'agent', place: { kind: 'member', name: 'ben' } }],
])('finds that it is %s that an item is about an objective: %j', (isOne, over) => {
  expect(isOfObjective(item(over))).toBe(isOne);
});
