import { expect, it } from 'vitest';
import { formatScope, parseScope, type Scope, scopeOf, scopeOfThread } from './scope.ts';
import { ScopeName } from './scope-name.ts';

const channelId = 'ch_0123456789';
const objectiveId = 'obj_0123456789';

it.each<[string, Scope]>([
  ['general', { kind: 'general' }],
  [`chan:${channelId}`, { kind: 'channel', channelId }],
  [`obj:${objectiveId}`, { kind: 'objective', objectiveId }],
  ['dm:ada', { kind: 'direct', member: 'ada' }],
])('reads %s and writes it again', (name, scope) => {
  expect(parseScope(name)).toEqual(scope);
  expect(formatScope(scope)).toBe(name);
  expect(ScopeName.parse(name)).toBe(name);
});

it('reads chan:general as general', () => {
  expect(parseScope('chan:general')).toEqual({ kind: 'general' });
  expect(ScopeName.parse('chan:general')).toBe('general');
});

it.each([
  '',
  ':',

  'chan:x',
  'obj:',
  'obj:1',
  'dm:',
  'dm:..',
  'dm:general',
  'to:ada',
  'General',
  'general:',
])('refuses %j, which names no scope', (name) => {
  expect(ScopeName.safeParse(name).success).toBe(false);
});

it.each<[string, Parameters<typeof scopeOf>[0], Scope]>([
  ['a broadcast is in general', { from: 'ben', to: null, data: {} }, { kind: 'general' }],
  [
    'a post to chan:general is in general',
    { from: 'ben', to: null, data: { thread: 'chan:general' } },
    { kind: 'general' },
  ],
  [
    'a channel post is in its channel',
    { from: 'ben', to: null, data: { thread: `chan:${channelId}` } },
    { kind: 'channel', channelId },
  ],
  [
    'a thread post is in its objective',
    { from: 'ben', to: null, data: { thread: `obj:${objectiveId}` } },
    { kind: 'objective', objectiveId },
  ],
  [
    'a received direct message is with its sender',
    { from: 'ben', to: 'ada', data: {} },
    { kind: 'direct', member: 'ben' },
  ],
  [
    'a sent direct message is with its recipient',
    { from: 'ada', to: 'ben', data: {} },
    { kind: 'direct', member: 'ben' },
  ],
  [
    'a message to oneself is with oneself',
    { from: 'ada', to: 'ada', data: {} },
    { kind: 'direct', member: 'ada' },
  ],
])('%s', (_title, message, scope) => {
  expect(scopeOf(message, 'ada')).toEqual(scope);
});

it.each([undefined, null, 1, '', 'dm:ada', 'chan:', {}])('finds no scope in data.thread %j', (thread) => {
  expect(scopeOfThread(thread)).toBeUndefined();
});
