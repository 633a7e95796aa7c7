import { describe, expect, it } from 'vitest';
import type { Leaf } from '#protocol/access.ts';
import type { ChannelRole } from '#protocol/channel.ts';
import { BrokerError } from '#protocol/errors.ts';
import {
  assertArchive,
  assertChange,
  assertLeave,
  type Caller,
  type ChannelState,
  decideJoin,
  type Joining,
  newsOf,
} from './channels.rules.ts';

const ops: ChannelState = { slug: 'ops', isGeneral: false, isArchived: false };
const old: ChannelState = { ...ops, isArchived: true };
const general: ChannelState = { slug: 'general', isGeneral: true, isArchived: false };
const state = { ops, old, general };

const who = (name: string, role: ChannelRole | null, ...permissions: Leaf[]): Caller => ({
  name,
  role,
  permissions,
});
const callers = {
  admin: who('ben', 'admin'),
  member: who('ben', 'member'),
  outsider: who('ben', null),
  manager: who('ben', null, 'members.manage'),
  'team manager': who('ben', null, 'team.manage', 'objectives.create', 'activity.read'),
};

/** Returns the decision, or the code with which it is refused. */
function outcome(judge: () => unknown): unknown {
  try {
    return judge() ?? 'ok';
  } catch (error) {
    if (error instanceof BrokerError) return error.code;
    throw error;
  }
}

type Row<Value> = [keyof typeof callers, Record<keyof typeof state, Value>];

describe('news of a change', () => {
  const open = { isPrivate: false, members: [] };
  const closed = (...members: string[]) => ({ isPrivate: true, members });
  it.each([
    ['of an ordinary channel goes to everyone', open, open, 'everyone', null],
    ['that hides the channel goes to everyone', open, closed('ben'), 'everyone', ['ben']],
    ['that reveals the channel goes to everyone', closed('ben'), open, 'everyone', null],
    ['of a private channel goes to its members', closed('ben'), closed('ben'), ['ben'], ['ben']],
    ['goes to who joins', closed('ben'), closed('ben', 'cy'), ['ben', 'cy'], ['ben', 'cy']],
    ['goes to who is removed', closed('ben', 'cy'), closed('ben'), ['ben', 'cy'], ['ben']],
  ])('%s', (_, before, after, told, insiders) => {
    expect(newsOf(before, after)).toEqual({ told, insiders });
  });
});

describe('renaming, and making private or public', () => {
  it.each<Row<string>>([
    ['admin', { ops: 'ok', old: 'gone', general: 'forbidden' }],
    ['member', { ops: 'forbidden', old: 'forbidden', general: 'forbidden' }],
    ['outsider', { ops: 'forbidden', old: 'forbidden', general: 'forbidden' }],
    ['manager', { ops: 'ok', old: 'gone', general: 'conflict' }],
    ['team manager', { ops: 'forbidden', old: 'forbidden', general: 'forbidden' }],
  ])('by %s is %j', (caller, expected) => {
    for (const [name, value] of Object.entries(expected))
      for (const isRename of [true, false]) {
        const channel = state[name as keyof typeof state];
        const decided = outcome(() => assertChange(channel, callers[caller], isRename));
        expect([name, isRename, decided]).toEqual([name, isRename, value]);
      }
  });
});

describe('archiving', () => {
  it.each<Row<string>>([
    ['admin', { ops: 'ok', old: 'ok', general: 'forbidden' }],
    ['member', { ops: 'forbidden', old: 'forbidden', general: 'forbidden' }],
    ['outsider', { ops: 'forbidden', old: 'forbidden', general: 'forbidden' }],
    ['manager', { ops: 'ok', old: 'ok', general: 'conflict' }],
  ])('by %s is %j', (caller, expected) => {
    for (const [name, value] of Object.entries(expected))
      expect([
        name,
        outcome(() => assertArchive(state[name as keyof typeof state], callers[caller])),
      ]).toEqual([name, value]);
  });
});

describe('joining and giving roles', () => {
  const none = { change: 'nothing' };
  const joins = (role: ChannelRole) => ({ change: 'join', role });
  const becomes = (role: ChannelRole) => ({ change: 'role', role });
  it.each<[string, keyof typeof callers, ChannelState, Partial<Joining>, unknown]>([
    ['oneself', 'outsider', ops, {}, joins('member')],
    ['oneself as member', 'outsider', ops, { role: 'member' }, joins('member')],
    ['oneself as admin', 'outsider', ops, { role: 'admin' }, 'forbidden'],
    ['oneself as admin, being in', 'member', ops, { role: 'admin', present: 'member' }, 'forbidden'],
    ['oneself as admin, managing', 'manager', ops, { role: 'admin' }, joins('admin')],
    ['oneself, managing', 'manager', ops, {}, joins('member')],
    ['oneself again', 'member', ops, { present: 'member' }, none],
    ['oneself again, being admin', 'admin', ops, { present: 'admin' }, none],
    ['another', 'outsider', ops, { member: 'cy' }, 'forbidden'],
    ['another', 'member', ops, { member: 'cy' }, 'forbidden'],
    ['another', 'team manager', ops, { member: 'cy' }, 'forbidden'],
    ['another', 'admin', ops, { member: 'cy' }, joins('member')],
    ['another as admin', 'admin', ops, { member: 'cy', role: 'admin' }, joins('admin')],
    ['another as admin', 'manager', ops, { member: 'cy', role: 'admin' }, joins('admin')],
    ['another who is in', 'admin', ops, { member: 'cy', present: 'admin' }, none],
    ['a role', 'admin', ops, { member: 'cy', present: 'member', role: 'admin' }, becomes('admin')],
    ['a role', 'manager', ops, { member: 'cy', present: 'admin', role: 'member' }, becomes('member')],
    ['a role', 'member', ops, { member: 'cy', present: 'admin', role: 'member' }, 'forbidden'],
    [
      'another role to the only admin',
      'admin',
      ops,
      { present: 'admin', role: 'member', isOnlyAdmin: true },
      'conflict',
    ],
    [
      'the same role to the only admin',
      'admin',
      ops,
      { present: 'admin', role: 'admin', isOnlyAdmin: true },
      none,
    ],
    ['a stranger', 'admin', ops, { member: 'zoe', isKnown: false }, 'not_found'],
    ['a stranger', 'member', ops, { member: 'zoe', isKnown: false }, 'forbidden'],
    ['general', 'outsider', general, { present: 'member' }, 'conflict'],
    ['general for another', 'member', general, { member: 'cy', present: 'member' }, 'forbidden'],
    ['general for another', 'manager', general, { member: 'cy', present: 'member' }, 'conflict'],
    ['an archived one', 'outsider', old, {}, 'gone'],
    ['an archived one', 'manager', old, { member: 'cy' }, 'gone'],
    ['an archived one, being in', 'member', old, { present: 'member' }, 'gone'],
    ['an archived one for another', 'outsider', old, { member: 'cy' }, 'forbidden'],
  ])('%s by %s', (_, caller, channel, given, expected) => {
    const joining: Joining = {
      member: 'ben',
      role: undefined,
      isKnown: true,
      present: null,
      isOnlyAdmin: false,
      ...given,
    };
    expect(outcome(() => decideJoin(channel, callers[caller], joining))).toEqual(expected);
  });
});

describe('leaving and removing', () => {
  it.each<[string, keyof typeof callers, ChannelState, string, ChannelRole | null, string]>([
    ['oneself', 'member', ops, 'ben', 'member', 'ok'],
    ['oneself', 'admin', ops, 'ben', 'admin', 'ok'],
    ['oneself, of an archived one', 'member', old, 'ben', 'member', 'ok'],
    ['oneself, not being in', 'outsider', ops, 'ben', null, 'not_found'],
    ['another', 'member', ops, 'cy', 'member', 'forbidden'],
    ['another', 'outsider', ops, 'cy', null, 'forbidden'],
    ['another', 'admin', ops, 'cy', 'admin', 'ok'],
    ['another', 'manager', ops, 'cy', 'member', 'ok'],
    ['another, of an archived one', 'admin', old, 'cy', 'member', 'ok'],
    ['another who is not in', 'admin', ops, 'cy', null, 'not_found'],
    ['general', 'member', general, 'ben', 'member', 'conflict'],
    ['another from general', 'member', general, 'cy', 'member', 'forbidden'],
    ['another from general', 'manager', general, 'cy', 'member', 'conflict'],
  ])('%s by %s', (_, caller, channel, member, present, expected) => {
    expect(outcome(() => assertLeave(channel, callers[caller], { member, present }))).toBe(expected);
  });
});
