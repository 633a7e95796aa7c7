import { describe, expect, it } from 'vitest';
import { threadRelations } from '#protocol/objective-access.ts';
import { isKnownTo, isPermitted, type Standing, threadMembers } from './scope-access.rules.ts';

const none = { isAssignee: false, isOriginator: false, isWatcher: false, isManager: false };

describe('reading and posting', () => {
  it.each<[string, Standing, boolean]>([
    ['everybody in general', { kind: 'general' }, true],
    ['a member of the channel', { kind: 'channel', isMember: true }, true],
    ['nobody else in a channel', { kind: 'channel', isMember: false }, false],
    ['the assignee of the objective', { kind: 'objective', ...none, isAssignee: true }, true],
    ['the originator of the objective', { kind: 'objective', ...none, isOriginator: true }, true],
    ['a watcher of the objective', { kind: 'objective', ...none, isWatcher: true }, true],
    ['a manager in every thread', { kind: 'objective', ...none, isManager: true }, true],
    ['nobody else in a thread', { kind: 'objective', ...none }, false],
    ['both sides of a direct conversation', { kind: 'direct', isParticipant: true }, true],
    ['nobody else in a direct conversation', { kind: 'direct', isParticipant: false }, false],
  ])('is for %s', (_, standing, isAllowed) => {
    expect(isPermitted('read', standing)).toBe(isAllowed);
    expect(isPermitted('post', standing)).toBe(isAllowed);
  });
});

it.each([
  [false, false, false, true],
  [true, false, false, false],
  [true, true, false, true],
  [true, false, true, true],
])('knows a channel (private: %j, member: %j, manager: %j): %j', (isPrivate, isMember, isManager, known) => {
  expect(isKnownTo({ isPrivate }, { isMember, isManager })).toBe(known);
});

describe('a thread', () => {
  it('has its originator, assignee, watchers, and the managers as members, each once', () => {
    const thread = { originator: 'ada', assignee: 'ben', watchers: ['cy', 'ada'] };
    expect(threadMembers(thread, ['ben', 'dee'])).toEqual(['ada', 'ben', 'cy', 'dee']);
  });

  it('relates a member by each of its roles', () => {
    expect(threadRelations({ ...none, isAssignee: true, isOriginator: true })).toEqual([
      'assignee',
      'originator',
      'thread member',
    ]);
    expect(threadRelations(none)).toEqual([]);
  });
});
