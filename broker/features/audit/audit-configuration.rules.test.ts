import { expect, it } from 'vitest';
import {
  type AuditedConfiguration,
  type AuditedMember,
  changesBetween,
  emptyConfiguration,
  joinedStates,
} from './audit-configuration.rules.ts';

const member: AuditedMember = {
  title: 'Builder',
  description: '',
  instructions: '',
  wakes: 'default',
  entries: [],
  permissions: [],
  token: 'a',
  totp: 'b',
  isTokenRevoked: false,
};
const withBen = (change: Partial<AuditedMember> = {}): AuditedConfiguration => ({
  ...emptyConfiguration,
  memberByName: { ben: { ...member, ...change } },
});
const kinds = (before: AuditedConfiguration, after: AuditedConfiguration) =>
  changesBetween(before, after).map(({ kind, subject }) => [kind, subject]);

it.each([
  ['nothing', {}, []],
  ['a description', { title: 'Lead' }, [['member_changed', 'ben']]],
  ['permissions', { entries: ['admin'] }, [['permissions_changed', 'ben']]],
  ['another token', { token: 'c' }, [['token_rotated', 'ben']]],
  ['no token', { token: null }, [['token_revoked', 'ben']]],
  ['a token that stands for none', { token: 'c', isTokenRevoked: true }, [['token_revoked', 'ben']]],
  ['another authenticator', { totp: 'c' }, [['totp_bound', 'ben']]],
  ['no authenticator', { totp: null }, [['totp_removed', 'ben']]],
])('names the change to %s', (_what, change, expected) => {
  expect(kinds(withBen(), withBen(change))).toEqual(expected);
});

it('names members that come and go, and says of a secret only whether there is one', () => {
  expect(kinds(emptyConfiguration, withBen())).toEqual([['member_created', 'ben']]);
  const [removed] = changesBetween(withBen(), emptyConfiguration);
  expect(removed).toMatchObject({
    kind: 'member_removed',
    before: { hasToken: true, hasTotp: true },
    after: null,
  });
  expect(JSON.stringify(removed)).not.toMatch(/"token"|"totp"/);
});

it('treats a preset like any other name, whatever it is', () => {
  const presets = JSON.parse('{"__proto__": ["members.manage"], "1": []}');
  const [change] = changesBetween(emptyConfiguration, { ...emptyConfiguration, presets });
  expect(change).toMatchObject({ kind: 'presets_changed' });
  expect(Object.keys(change?.after ?? {}).sort()).toEqual(['1', '__proto__']);
});

it('names other stores in the change of other blocks, unless an earlier version recorded none', () => {
  const withStores = (main: string): AuditedConfiguration => ({
    ...emptyConfiguration,
    others: { 'files.root': 'files' },
    stores: { 'stores.main': main },
  });
  expect(changesBetween(withStores('main.db'), { ...withStores('other.db'), others: {} })).toEqual([
    {
      kind: 'configuration_changed',
      subject: null,
      before: { 'files.root': 'files', 'stores.main': 'main.db' },
      after: { 'files.root': null, 'stores.main': 'other.db' },
    },
  ]);
  const { stores: _, ...earlier } = withStores('main.db');
  expect(changesBetween(earlier, withStores('main.db'))).toEqual([]);
});

it('joins two states that were not recorded as if one change had led to the later one', () => {
  const earlier = { configuration: { ...withBen(), team: { brief: 'a' } }, touched: ['ben', 'cy'] };
  const later = { configuration: { ...emptyConfiguration, team: { brief: 'b' } }, touched: ['dan'] };
  expect(joinedStates(earlier, later)).toEqual({
    configuration: { ...withBen(), team: { brief: 'b' } },
    touched: ['ben', 'cy', 'dan'],
  });
  const removed = joinedStates(earlier, { ...later, touched: ['ben'] });
  expect(removed).toEqual({ configuration: later.configuration, touched: ['ben', 'cy'] });
  const whole = { ...later, touched: null };
  expect(joinedStates(earlier, whole)).toBe(whole);
  expect(joinedStates(whole, earlier).touched).toBeNull();
});
