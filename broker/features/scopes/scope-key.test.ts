import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scope } from '#protocol/scope.ts';
import {
  audienceOfMember,
  keyOfScopeName,
  objectiveKeySql,
  objectiveKeys,
  parseAudience,
  parseScopeKey,
  scopeKey,
  scopeNameOf,
} from './scope-key.ts';

const name = fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,5}[A-Za-z0-9])?$/);
const direct = (member: string): Scope => ({ kind: 'direct', member });

describe('the stored key of a conversation', () => {
  it.each<[Scope, string]>([
    [{ kind: 'general' }, 'general'],
    [{ kind: 'channel', channelId: 'c1' }, 'chan:c1'],
    [{ kind: 'channel', channelId: 'a:b' }, 'chan:a:b'],
    [{ kind: 'objective', objectiveId: 'obj_0123456789' }, 'obj:obj_0123456789'],
  ])('of $kind is its name on the wire', (scope, key) => {
    expect(scopeKey(scope, 'ada')).toBe(key);
    expect(parseScopeKey(key)).toEqual(scope);
    expect(scopeNameOf(key, 'ada')).toBe(key);
  });

  it('of a direct conversation is the same for both members and different for every other pair', () => {
    fc.assert(
      fc.property(name, name, name, name, (a, b, c, d) => {
        const key = scopeKey(direct(b), a);
        expect(scopeKey(direct(a), b)).toBe(key);
        const isSamePair = (a === c && b === d) || (a === d && b === c);
        expect(scopeKey(direct(d), c) === key).toBe(isSamePair);
      }),
    );
  });

  it('of a direct conversation is named by the other side', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        const key = scopeKey(direct(b), a);
        expect(scopeNameOf(key, a)).toBe(`dm:${b}`);
        expect(scopeNameOf(key, b)).toBe(`dm:${a}`);
        expect(keyOfScopeName(scopeNameOf(key, a), a)).toBe(key);
      }),
    );
  });

  it('of a thread lies in the range of threads, and no other key does', () => {
    const isInRange = (key: string) => objectiveKeys.after < key && key < objectiveKeys.before;
    expect(isInRange(scopeKey({ kind: 'objective', objectiveId: 'obj_1' }, 'ada'))).toBe(true);
    for (const key of ['general', 'chan:obj', 'dm:ada:ben', audienceOfMember('obj')])
      expect(isInRange(key)).toBe(false);
    expect(objectiveKeySql('id')).toBe("'obj:' || id");
  });
});

describe('the audience of a grant', () => {
  it('is one member or a conversation', () => {
    expect(audienceOfMember('ben')).toBe('to:ben');
    expect(parseAudience('to:ben')).toEqual({ kind: 'member', member: 'ben' });
    expect(parseAudience('chan:c1')).toEqual({ kind: 'channel', channelId: 'c1' });
  });
});
