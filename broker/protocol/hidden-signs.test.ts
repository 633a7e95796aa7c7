import { describe, expect, it } from 'vitest';
import { EnrollRequest } from './enrollment.ts';
import { FsMakeDirectory, FsMove, FsPathQuery, FsWriteQuery } from './files.ts';
import { hasHiddenSign } from './hidden-signs.ts';
import { MemberPatch, NewMember, Teammate } from './member.ts';
import { SetupRequest } from './setup.ts';
import { Team, TeamPatch } from './team.ts';

const hidden = [
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u200b',
  '\u200d',
  '\u200c',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u2028',
  '\u{e0041}',
  '\u3164',
  '\u180e',
  '\n',
  '\u0007',
];

describe('a name', () => {
  it.each(hidden.map((sign) => [sign.codePointAt(0)?.toString(16), sign]))('has no U+%s', (_, sign) => {
    expect(hasHiddenSign(`report${sign}txt.exe`)).toBe(true);
  });

  it.each([
    'Zoë',
    'Иван',
    '山田',
    'مدیر',
    'عنوان\u200cها',
    'क्\u200dष',
    '👩‍🚀 crew',
    '👍🏽',
    '🏳️‍🌈',
    'a b – c',
    'naïve.txt',
  ])('may be %s', (name) => {
    expect(hasHiddenSign(name)).toBe(false);
  });

  const bad = 'a\u202eb';
  const role = { title: bad, description: '' };
  it.each([
    [
      'the team at setup',
      SetupRequest,
      { team: { name: bad }, admin: { name: 'ada', role: { title: 'A' } } },
    ],
    ['the first role', SetupRequest, { team: { name: 'T' }, admin: { name: 'ada', role } }],
    ['the team', TeamPatch, { name: bad }],
    ['a preset', TeamPatch, { permissionPresets: { [bad]: [] } }],
    ['a new member’s role', NewMember, { name: 'ben', role, permissions: [] }],
    ['a role', MemberPatch, { role }],
    ['a device', EnrollRequest, { labelHint: bad }],
    ['a file', FsWriteQuery, { path: `/ada/${bad}`, mime: 'text/plain' }],
    ['a folder', FsMakeDirectory, { path: `/ada/${bad}` }],
    ['a moved file', FsMove, { from: '/ada/x', to: `/ada/${bad}` }],
  ])('is refused for %s', (_, schema, request) => {
    const fault = JSON.stringify(schema.safeParse(request).error?.issues);
    expect(fault).toContain('must not have invisible characters');
    expect(schema.safeParse(JSON.parse(JSON.stringify(request).replaceAll(bad, 'ab'))).success).toBe(true);
  });

  it('that is already stored stays readable, and its file can be moved away', () => {
    expect(
      Team.safeParse({ name: bad, directive: '', brief: '', permissionPresets: { [bad]: [] } }).success,
    ).toBe(true);
    expect(Teammate.safeParse({ name: 'ben', role, permissions: [] }).success).toBe(true);
    expect(FsPathQuery.safeParse({ path: `/ada/${bad}` }).success).toBe(true);
    expect(FsMove.safeParse({ from: `/ada/${bad}`, to: '/ada/x' }).success).toBe(true);
  });
});
