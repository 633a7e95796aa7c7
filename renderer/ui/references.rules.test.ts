import { describe, expect, it } from 'vitest';
import { mentionsIn } from '#protocol/mentions.ts';
import { ownLinkOf, partsOfText } from './references.rules.ts';

describe('the parts of a text', () => {
  it('are mentions and channels with the words between them', () => {
    expect(partsOfText('@ada, see #deck-plans.', mentionsIn('@ada'))).toEqual([
      { kind: 'mention', name: 'ada' },
      ', see ',
      { kind: 'channel', name: 'deck-plans' },
      '.',
    ]);
  });
  it.each(['a@ben.example', 'x#y', '&#39;', 'https://a/#b', '# title', '#Upper', ''])(
    'are the whole text in %j',
    (text) => {
      expect(partsOfText(text, mentionsIn(text))).toEqual(text === '' ? [] : [text]);
    },
  );
});

describe('an address', () => {
  const origin = 'https://hub.example:8717';
  it.each([
    ['/app/objectives/obj_1', { kind: 'objective', id: 'obj_1' }],
    ['/app/members/ben', { kind: 'member', name: 'ben' }],
    ['/app/admin/people?member=ben', { kind: 'member', name: 'ben' }],
    ['/app/admin/people?member=ben&create=true', null],
    ['/app/admin/people', null],
    ['/app/conversations/dm%3Aben?message=m1', { kind: 'message', scope: 'dm:ben', id: 'm1' }],
    ['/app/conversations/general', null],
    ['/app/objectives?create=true', null],
    ['/app/objectives/obj_1?make=x', null],
    ['/app/conversations/general?message=m1&make=m1', null],
    ['/app/members/%E0%A4%A', null],
  ])('%s of this console leads to what it names', (path, link) => {
    expect(ownLinkOf(`${origin}${path}`, origin)).toEqual(link);
  });
  it.each(['https://evil.example/app/members/ben', 'https://x@hub.example:8717/app/members/ben', 'nonsense'])(
    '%s is not one of this console',
    (href) => {
      expect(ownLinkOf(href, origin)).toBeNull();
    },
  );
});
