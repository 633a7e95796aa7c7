import { expect, it } from 'vitest';
import { withChangedMember, withMembers } from './changed-config.ts';
import { createConfigText } from './config-text.ts';
import { serialise } from './load-config.ts';
import type { ConfigMember, SvcConfig } from './svc-config.ts';

const member = (name: string) =>
  ({
    name,
    role: { title: 'x', description: 'two\nlines, "quoted", and ü' },
    instructions: '',
    rawPermissions: [],
    permissions: [],
    revokedTokenHash: undefined,
  }) as unknown as ConfigMember;

const config = (count: number): SvcConfig => ({
  team: { name: 'T', directive: '"members": []', brief: '', permissionPresets: { none: [] } },
  store: { ...{ note: 'mine' }, members: Array.from({ length: count }, (_, at) => member(`m${at}`)) },
  listen: { port: 1 },
});

const joined = (pieces: readonly Buffer[]) => Buffer.concat(pieces).toString();

it.each([1, 63, 64, 65, 200])('is what serialise returns, for %i members', (count) => {
  expect(joined(createConfigText()(config(count)))).toBe(serialise(config(count)));
});

it('stays what serialise returns while members join, change, move, and leave', () => {
  const textOf = createConfigText();
  let next = config(200);
  const change = (to: SvcConfig) => {
    next = to;
    expect(joined(textOf(next))).toBe(serialise(next));
  };
  change(next);
  for (const at of [0, 63, 64, 127, 128, 199])
    change(withChangedMember(next, `m${at}`, (one) => ({ ...one, instructions: `of ${at}` })));
  for (let at = 0; at < 80; at++) change(withMembers(next, [...next.store.members, member(`new${at}`)]));
  change(withMembers(next, [member('first'), ...next.store.members]));
  change(withMembers(next, next.store.members.toReversed()));
  for (let left = 0; left < 40; left++)
    change(withMembers(next, next.store.members.toSpliced((left * 37) % next.store.members.length, 1)));
  change({ ...next, team: { ...next.team, brief: 'other' } });
  change(withMembers(next, next.store.members.slice(0, 1)));
});

it('makes only the piece of the changed member and those of the other blocks anew', () => {
  const textOf = createConfigText();
  const before = config(640);
  const pieces = new Set(textOf(before));
  const changed = textOf(withChangedMember(before, 'm300', (one) => ({ ...one, instructions: 'new' })));
  expect(changed.filter((piece) => !pieces.has(piece))).toHaveLength(4);
});
