import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokerError } from '#protocol/errors.ts';
import { generalChannelId, MemberName } from '#protocol/ids.ts';
import { HistoryQuery, PushPayload } from '#protocol/message.ts';
import { scopeKey } from '../scopes/scope-key.ts';
import { scopeOfHistory, scopeOfPush } from './message-scope.rules.ts';

const ada = MemberName.parse('ada');
const push = (payload: object) => scopeOfPush(PushPayload.parse({ body: 'x', ...payload }));
const history = (query: object) => scopeOfHistory(HistoryQuery.parse(query));
const objectiveId = 'obj_0123456789';

describe('the scope of a push', () => {
  it.each([
    ['neither "to" nor a thread is a broadcast', {}, 'general'],
    ['null counts as absent', { to: null, data: null }, 'general'],
    ['other data does not matter', { data: { anything: 1 } }, 'general'],
    ['"to" is a direct message', { to: 'ben' }, 'dm:ada:ben'],
    ['the pair is ordered: both sides share it', { to: 'Ab' }, 'dm:Ab:ada'],
    ['a message to oneself has a scope of its own', { to: 'ada' }, 'dm:ada:ada'],
    ['a thread of a channel is a channel post', { data: { thread: 'chan:c1' } }, 'chan:c1'],
    [
      'a post to chan:general shares the scope of broadcasts',
      { data: { thread: `chan:${generalChannelId}` } },
      'general',
    ],
  ])('%s', (_, payload, key) => {
    expect(scopeKey(push(payload), ada)).toBe(key);
  });

  it.each([
    ['data.thread with a "to"', { to: 'ben', data: { thread: 'chan:c1' } }],
    ['a thread of an objective', { data: { thread: `obj:${objectiveId}` } }],
    ['a thread of a direct message', { data: { thread: 'dm:ada:ben' } }],
    ['a channel without an id', { data: { thread: 'chan:' } }],
    ['a thread in other letters', { data: { thread: 'CHAN:c1' } }],
    ['a thread with a line break', { data: { thread: 'x\nchan:c1' } }],
    ['the text form of general', { data: { thread: 'general' } }],
    ['a channel followed by a line break', { data: { thread: 'chan:c1\n' } }],
    ['an empty thread', { data: { thread: '' } }],
    ['a thread that is null', { data: { thread: null } }],
    ['a thread that is no text', { data: { thread: ['chan:c1'] } }],
    ['a client-sent data.event', { data: { event: { type: 'objective.done' } } }],
    ['a client-sent data.event in a direct message', { to: 'ben', data: { event: null } }],
  ])('%s is refused with bad_request', (_, payload) => {
    expect(() => push(payload)).toThrow(expect.objectContaining({ code: 'bad_request' }));
    expect(() => push(payload)).toThrow(BrokerError);
  });
});

describe('the scope of a history request', () => {
  it.each([
    ['none named is general', {}, 'general'],
    ['"with" reads the caller’s own direct messages', { with: 'ben' }, 'dm:ada:ben'],
    ['"channel" reads a channel', { channel: 'c1' }, 'chan:c1'],
    ['the general channel is general', { channel: generalChannelId }, 'general'],
    ['"objective" reads an objective’s thread', { objective: objectiveId }, `obj:${objectiveId}`],
  ])('%s', (_, query, key) => {
    expect(scopeKey(history(query), ada)).toBe(key);
  });
});

describe('the stored key of a direct message', () => {
  const name = fc
    .stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,5}[A-Za-z0-9])?$/)
    .map((text) => MemberName.parse(text));

  it('is what the history of both sides reads', () => {
    fc.assert(
      fc.property(name, name, (from, to) => {
        const sent = scopeKey(scopeOfPush(PushPayload.parse({ body: 'x', to })), from);
        expect(scopeKey(scopeOfHistory(HistoryQuery.parse({ with: from })), to)).toBe(sent);
        expect(scopeKey(scopeOfHistory(HistoryQuery.parse({ with: to })), from)).toBe(sent);
      }),
    );
  });
});
