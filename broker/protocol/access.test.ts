import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultPresets,
  isAllowed,
  isDecidedByCaller,
  leaves,
  type Relation,
  type Rule,
  resolvePermissions,
} from './access.ts';

const relations: Relation[] = [
  'self',
  'assignee',
  'originator',
  'thread member',
  'channel admin',
  'channel member',
  'reader',
];

describe('resolvePermissions', () => {
  it('resolves presets and leaves, mixed, to leaves in the specification’s order', () => {
    const resolved = resolvePermissions(['activity.read', 'operator', 'objectives.create'], defaultPresets);
    expect(resolved).toEqual({
      permissions: [
        'objectives.create',
        'objectives.cancel',
        'objectives.reassign',
        'objectives.watch',
        'activity.read',
      ],
      unknown: [],
    });
  });

  it('names every entry that is neither a preset nor a leaf', () => {
    expect(resolvePermissions(['root', 'admin', 'toString', '__proto__'], defaultPresets).unknown).toEqual([
      'root',
      'toString',
      '__proto__',
    ]);
  });

  it('writes the presets of the setup', () => {
    expect(defaultPresets).toEqual({
      admin: leaves,
      operator: ['objectives.create', 'objectives.cancel', 'objectives.reassign', 'objectives.watch'],
      observer: ['objectives.watch', 'activity.read'],
    });
  });
});

describe('isAllowed', () => {
  const anyRule = fc.subarray([...leaves, ...relations, 'member' as const]) as fc.Arbitrary<Rule>;
  const anyLeaves = fc.subarray([...leaves]);
  const anyRelations = fc.subarray(relations);

  it('only ever reduces access when a permission or a relation is removed', () => {
    fc.assert(
      fc.property(anyRule, anyLeaves, anyRelations, fc.nat(), (rule, held, being, index) => {
        const fewer = held.filter((_, i) => i !== index % (held.length || 1));
        const less = being.filter((_, i) => i !== index % (being.length || 1));
        if (!isAllowed(rule, held, being)) {
          expect(isAllowed(rule, fewer, being)).toBe(false);
          expect(isAllowed(rule, held, less)).toBe(false);
        }
      }),
    );
  });

  it('refuses a caller who holds nothing that the rule names', () => {
    fc.assert(
      fc.property(anyLeaves, anyRelations, (held, being) => {
        const rule = [...leaves, ...relations].filter(
          (need) => !([...held, ...being] as string[]).includes(need),
        );
        expect(isAllowed(rule, held, being)).toBe(false);
      }),
    );
  });

  it('leaves rules with a stored relation to the unit of work', () => {
    expect(isDecidedByCaller(['members.manage', 'self'])).toBe(true);
    expect(isDecidedByCaller(['members.manage', 'channel admin'])).toBe(false);
  });
});
