import { describe, expect, it } from 'vitest';
import type { Leaf } from '#protocol/access.ts';
import { relationsToChannel } from '#protocol/channel-access.ts';
import { relationsToObjective } from '#protocol/objective-access.ts';
import { may, relationsToMember, relationsToPath } from './rights.ts';

describe('what the console offers', () => {
  const objective = { assignee: 'ben', originator: 'ada', watchers: ['cy'] } as unknown as Parameters<
    typeof relationsToObjective
  >[0];
  const mayDo = (member: string, permissions: Leaf[] = []) => {
    const relations = relationsToObjective(objective, { member, permissions });
    return (['updateObjective', 'completeObjective', 'cancelObjective', 'discussObjective'] as const).filter(
      (operation) => may(operation, permissions, relations),
    );
  };

  it.each<[string, Leaf[], string[]]>([
    ['ben', [], ['updateObjective', 'completeObjective', 'discussObjective']],
    ['ada', [], ['cancelObjective', 'discussObjective']],
    ['cy', [], ['discussObjective']],
    ['dan', [], []],
    ['dan', ['objectives.cancel'], ['cancelObjective']],
    ['dan', ['members.manage'], ['updateObjective', 'discussObjective']],
  ])('of an objective to %s with %j: %j', (member, permissions, expected) => {
    expect(mayDo(member, permissions)).toEqual(expected);
  });

  it('of a channel to its admins and to operators', () => {
    const mayRename = (role: 'admin' | 'member' | null, permissions: Leaf[] = []) =>
      may('renameChannel', permissions, relationsToChannel(role));
    expect([mayRename('admin'), mayRename('member'), mayRename(null)]).toEqual([true, false, false]);
    expect(mayRename(null, ['members.manage'])).toBe(true);
  });

  it('of a file to the member in whose home it is, and not to a member whose name only starts the same', () => {
    const mayMove = (path: string) => may('moveFile', [], relationsToPath(path, 'ada'));
    expect([mayMove('/ada/a.txt'), mayMove('/ada'), mayMove('/ada-2/a.txt'), mayMove('/')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('of tokens to their member and to operators', () => {
    expect(may('tokens', [], relationsToMember('ada', 'ada'))).toBe(true);
    expect(may('tokens', [], relationsToMember('ben', 'ada'))).toBe(false);
    expect(may('tokens', ['members.manage'], relationsToMember('ben', 'ada'))).toBe(true);
  });
});
