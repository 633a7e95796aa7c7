import { expect, it } from 'vitest';
import type { AuditKind, AuditRecord } from '#protocol/audit.ts';
import { auditKinds } from '#protocol/audit-kinds.ts';
import { auditSentence } from './audit-sentence.rules.ts';

const record = (kind: string, over: Partial<AuditRecord> = {}): AuditRecord => ({
  ...{ seq: 1, at: 0, kind: kind as AuditKind, via: 'request', member: 'ana', credential: null },
  ...{ address: null, subject: 'bo', before: null, after: null, previous: '', hash: '', ...over },
});

it.each<[string, Partial<AuditRecord>, string]>([
  ['device_approved', { after: { label: 'laptop' } }, 'ana approved the device “laptop” of bo'],
  ['device_approved', {}, 'ana approved the device of bo'],
  [
    'device_rejected',
    { subject: 'BCDF-GHJK', after: { reason: 'unknown' } },
    'ana rejected the device BCDF-GHJK: “unknown”',
  ],
  ['token_revoked', { before: { label: 'phone' } }, 'ana revoked the token “phone” of bo'],
  ['token_rotated', { subject: 'ana' }, 'ana rotated their own tokens'],
  ['totp_bound', { subject: 'ana' }, 'ana enrolled their own authenticator'],
  ['login', { subject: 'ana', after: { device: 'Firefox on Linux' } }, 'ana logged in with Firefox on Linux'],
  ['login_failed', { member: null, after: { count: 3 } }, 'A login as bo failed, 3 times'],
  ['login_failed', { member: null, subject: null }, 'A login failed'],
  ['team_changed', { subject: null, after: { directive: 'x' } }, 'ana changed the directive of the team'],
  [
    'team_changed',
    { subject: null, after: { name: 'a', brief: 'b', maxAgentHops: 3 } },
    'ana changed the name, brief, and count of posts by agents in a row of the team',
  ],
  [
    'member_changed',
    { after: { title: 'Pilot', instructions: '' } },
    'ana changed the role and instructions of bo',
  ],
  ['member_changed', { subject: 'ana', after: { kind: 'agent' } }, 'ana changed their own kind to “agent”'],
  ['member_changed', { after: { title: 'Pilot' } }, 'ana changed the role of bo to “Pilot”'],
  ['member_changed', { after: { title: '' } }, 'ana changed the role of bo'],
  [
    'team_changed',
    { subject: null, after: { maxAgentHops: 8 } },
    'ana changed the count of posts by agents in a row of the team to 8',
  ],
  [
    'member_created',
    { via: 'file', member: null },
    'Somebody with access to the configuration file created the member bo',
  ],
  [
    'network_changed',
    { via: 'host', member: null, subject: null },
    'The desktop app changed the network settings',
  ],
  ['files_moved', { subject: '/bo/a', after: { path: '/bo/b' } }, 'ana moved /bo/a to /bo/b'],
  [
    'retention_removed',
    { subject: 'messages.days', after: { count: 1 } },
    'Retention removed 1 entry by the rule messages.days',
  ],
  ['token_revoked', { before: { label: 'a\u202eb' } }, 'ana revoked the token “ab” of bo'],
  ['kind_of_tomorrow', {}, 'ana: kind of tomorrow bo'],
  ['constructor', { subject: null }, 'ana: constructor'],
])('tells %s with %j as “%s”', (kind, over, expected) => {
  expect(auditSentence(record(kind, over))).toBe(expected);
});

it.each(auditKinds)('has a sentence for %s, also without a subject and values', (kind) => {
  expect(auditSentence(record(kind))).not.toContain(': ');
  expect(auditSentence(record(kind, { subject: null, member: null }))).not.toMatch(/null|undefined/);
});
