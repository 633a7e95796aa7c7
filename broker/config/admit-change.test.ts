import { describe, expect, it } from 'vitest';
import { mintToken } from '../security/token.ts';
import { admitChange } from './admit-change.ts';
import { admitConfig } from './admit-config.ts';
import { withChangedMember, withMembers } from './changed-config.ts';
import type { ConfigMember, SvcConfig } from './svc-config.ts';
import { plaintextDocument } from './testing/config-fixture.ts';

const envelope = { v: 1, ct: 'AAAA', iv: 'AAAA' };
const seal = () => envelope;

function admitted(document: unknown): SvcConfig {
  const admission = admitConfig(document, seal);
  if ('faults' in admission) throw new Error(admission.faults.join());
  return admission.config;
}

const before = admitted(plaintextDocument());
const bob = before.store.members[1]!;
const withBob = (fields: object) => withChangedMember(before, 'bob', (member) => ({ ...member, ...fields }));
const withPresets = (presets: object): SvcConfig => ({
  ...before,
  team: { ...before.team, permissionPresets: { ...before.team.permissionPresets, ...presets } },
});
const cy = { name: 'cy', role: { title: 'x' }, rawPermissions: ['none'] } as unknown as ConfigMember;

describe('a change is admitted as the whole configuration would be', () => {
  it.each([
    ['nothing', before],
    ['a field of a member', withBob({ instructions: 'new' })],
    ['permissions', withBob({ rawPermissions: ['admin'] })],
    ['a new member with defaults', withMembers(before, [...before.store.members, cy])],
    ['a plaintext token', withBob({ token: mintToken() })],
    ['a plaintext TOTP secret', withBob({ totpSecret: 'JBSWY3DPEHPK3PXP' })],
    ['a removal', withMembers(before, before.store.members.slice(0, 1))],
    ['a preset', withPresets({ none: ['objectives.watch'] })],
    ['a preset and a member', { ...withBob({ instructions: 'new' }), team: withPresets({ none: [] }).team }],
    ['another order', withMembers(before, before.store.members.toReversed())],
    ['another block', { ...before, listen: { port: 1 } }],
  ])('%s', (_, after) => {
    expect(admitChange(before, after, seal)).toEqual(admitted(after));
  });
});

describe('a change is refused as the whole configuration would be', () => {
  it.each([
    ['an invalid field of a member', withBob({ instructions: 1 })],
    ['an invalid block', { ...before, listen: { port: -1 } }],
    ['an unknown permission', withBob({ rawPermissions: ['nothing'] })],
    [
      'a preset that is gone while a member has it',
      { ...before, team: { ...before.team, permissionPresets: { admin: ['members.manage' as const] } } },
    ],
    ['a preset named like a permission', withPresets({ 'team.manage': [] })],
    ['no manager by a removal', withMembers(before, [bob])],
    ['no manager by a preset', withPresets({ admin: [] })],
    ['the same member twice', withMembers(before, [bob, bob, ...before.store.members])],
    ['no members', withMembers(before, [])],
  ])('%s', (_, after) => {
    expect(admitChange(before, after, seal)).toBeNull();
    expect(admitConfig(after, seal)).toHaveProperty('faults');
  });
});

it('keeps members who are unchanged as the same objects', () => {
  const changed = admitChange(before, withBob({ instructions: 'new' }), seal);
  expect(changed?.store.members[0]).toBe(before.store.members[0]);
  const other = admitChange(before, withPresets({ none: ['objectives.watch'] }), seal);
  expect(other?.store.members[0]).toBe(before.store.members[0]);
});
