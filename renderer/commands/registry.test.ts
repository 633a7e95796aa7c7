import { expect, it } from 'vitest';
import type { Leaf } from '#protocol/access.ts';
import { may } from '../data/rights.ts';
import { type CommandContext, commands, offered } from './registry.ts';

const idsFor = (...permissions: Leaf[]) =>
  offered({ may: (operation) => may(operation, permissions) } as CommandContext).map(({ id }) => id);

it('offers a command to members who may perform its operation', () => {
  expect(idsFor('members.manage')).toEqual(expect.arrayContaining(['audit', 'create-member']));
  expect(idsFor('objectives.create')).toContain('create-objective');
  expect(idsFor()).toEqual(
    commands.map(({ id }) => id).filter((id) => !['audit', 'create-member', 'create-objective'].includes(id)),
  );
});

it('has no two commands with the same id or the same keys', () => {
  const keys = commands.flatMap((command) => command.keys ?? []);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
});
