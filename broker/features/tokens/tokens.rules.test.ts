import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashToken } from '../../security/token.ts';
import { idOfHash, type Primary, reconcileTokens, type TokenRow } from './tokens.rules.ts';

const now = 1_800_000_000_000;
const hash = (name: string): string => hashToken(name);
const row = (member: string, secret: string, origin: TokenRow['origin']): TokenRow => ({
  id: `id of ${secret}`,
  member,
  hash: hash(secret),
  label: 'a label',
  origin,
  createdAt: 1,
  createdBy: 'ada',
  lastUsedAt: 2,
  expiresAt: null,
});
const bootstrapped = (member: string, secret: string): TokenRow => ({
  id: idOfHash(hash(secret)),
  member,
  hash: hash(secret),
  label: '',
  origin: 'bootstrap',
  createdAt: now,
  createdBy: null,
  lastUsedAt: null,
  expiresAt: null,
});

describe('reconciling token rows with the configuration at start', () => {
  const adasPrimary = [{ member: 'ada', hash: hash('a') }];
  it.each<[string, TokenRow[], Primary[], string[], { remove: string[]; insert: TokenRow[] }]>([
    ['nothing on either side', [], [], [], { remove: [], insert: [] }],
    [
      'a tokenHash without a row gets one, origin bootstrap',
      [],
      adasPrimary,
      ['ada'],
      { remove: [], insert: [bootstrapped('ada', 'a')] },
    ],
    ...(['bootstrap', 'create', 'rotate'] as const).map(
      (origin): [string, TokenRow[], Primary[], string[], { remove: string[]; insert: TokenRow[] }] => [
        `the row of a primary token stays as it is (${origin})`,
        [row('ada', 'a', origin)],
        adasPrimary,
        ['ada'],
        { remove: [], insert: [] },
      ],
    ),
    [
      'a primary row whose hash is no longer its member’s goes',
      [row('ada', 'old', 'rotate')],
      adasPrimary,
      ['ada'],
      { remove: ['id of old'], insert: [bootstrapped('ada', 'a')] },
    ],
    [
      'a member without a token keeps no primary row',
      [row('ada', 'a', 'create')],
      [],
      ['ada'],
      { remove: ['id of a'], insert: [] },
    ],
    [
      'enrolled tokens of members stay',
      [row('ada', 'a', 'bootstrap'), row('ada', 'phone', 'enroll'), row('ben', 'laptop', 'enroll')],
      adasPrimary,
      ['ada', 'ben'],
      { remove: [], insert: [] },
    ],
    [
      'every row of a member who is gone goes, enrolled ones too',
      [row('gone', 'g', 'create'), row('gone', 'phone', 'enroll')],
      [],
      ['ada'],
      { remove: ['id of g', 'id of phone'], insert: [] },
    ],
    [
      'a token that changed hands in the file gets a new row',
      [row('ben', 'a', 'create')],
      adasPrimary,
      ['ada', 'ben'],
      { remove: ['id of a'], insert: [bootstrapped('ada', 'a')] },
    ],
  ])('%s', (_, rows, primaries, members, change) => {
    expect(reconcileTokens(rows, primaries, new Set(members), now)).toEqual(change);
  });

  it('gives a token that the file names as a member’s to that member, although another had enrolled it', () => {
    const change = reconcileTokens([row('ben', 'a', 'enroll')], adasPrimary, new Set(['ada', 'ben']), now);
    expect(change).toEqual({ remove: ['id of a'], insert: [bootstrapped('ada', 'a')] });
  });

  it('ends the enrolled tokens that a rotation replaced before the process ended, once the file names the new token', () => {
    const rotated = row('ada', 'new', 'rotate');
    const before = [rotated, { ...row('ada', 'phone', 'enroll'), replacedBy: rotated.id }];
    const members = new Set(['ada']);
    expect(reconcileTokens(before, [{ member: 'ada', hash: rotated.hash }], members, now)).toEqual({
      remove: ['id of phone'],
      insert: [],
    });
    // The process ended before the file was written, so the rotation did not happen.
    expect(reconcileTokens(before, adasPrimary, members, now)).toEqual({
      remove: ['id of new'],
      insert: [bootstrapped('ada', 'a')],
    });
  });

  const names = ['ada', 'ben', 'cy', 'gone', 'Ada'];
  const secrets = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'];
  const origins = ['bootstrap', 'create', 'rotate', 'enroll'] as const;
  const state = fc.record({
    members: fc.uniqueArray(fc.constantFrom(...names.filter((name) => name !== 'gone'))),
    // Hashes are unique among rows (the table) and among primary tokens (the configuration).
    rows: fc.uniqueArray(
      fc.record({
        member: fc.constantFrom(...names),
        secret: fc.constantFrom(...secrets),
        origin: fc.constantFrom(...origins),
      }),
      { selector: ({ secret }) => secret },
    ),
    holders: fc.uniqueArray(
      fc.record({ member: fc.constantFrom(...names), secret: fc.constantFrom(...secrets) }),
      { selector: ({ secret }) => secret },
    ),
  });

  it('leaves no row of anybody who is not a member, and exactly one row per primary hash', () => {
    fc.assert(
      fc.property(state, ({ members, rows, holders }) => {
        const primaries = [...new Map(holders.map((holder) => [holder.member, holder])).values()]
          .filter(({ member }) => members.includes(member))
          .map(({ member, secret }) => ({ member, hash: hash(secret) }));
        const before = rows.map(({ member, secret, origin }) => row(member, secret, origin));
        const { remove, insert } = reconcileTokens(before, primaries, new Set(members), now);
        const after = [...before.filter(({ id }) => !remove.includes(id)), ...insert];
        for (const { member } of after) expect(members).toContain(member);
        for (const { hash } of primaries) expect(after.filter((one) => one.hash === hash)).toHaveLength(1);
        expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
        expect(new Set(after.map(({ hash }) => hash)).size).toBe(after.length);
        // A second start finds nothing to do.
        expect(reconcileTokens(after, primaries, new Set(members), now + 1)).toEqual({
          remove: [],
          insert: [],
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the id of a token found in the configuration', () => {
  it('is a UUID derived from its hash: the same at every start, and different for every hash', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(idOfHash(hash(a))).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(idOfHash(hash(a)) === idOfHash(hash(b))).toBe(a === b);
      }),
    );
  });
});
