import { expect, it } from 'vitest';
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';
import { moveOf } from './board-moves.rules.ts';

const all = { mayUpdate: true, mayComplete: true, mayCancel: true };
const none = { mayUpdate: false, mayComplete: false, mayCancel: false };
const objective = (status: ObjectiveStatus) => ({ status, assignee: 'ben' }) as Objective;

it.each<[ObjectiveStatus, ObjectiveStatus, object]>([
  ['active', 'active', { kind: 'none' }],
  ['active', 'blocked', { kind: 'ask', act: 'block' }],
  ['blocked', 'active', { kind: 'unblock' }],
  ['blocked', 'done', { kind: 'ask', act: 'complete' }],
  ['active', 'cancelled', { kind: 'ask', act: 'cancel' }],
  ['done', 'active', { kind: 'refused', sentence: 'It is done, which is final.' }],
  ['cancelled', 'blocked', { kind: 'refused', sentence: 'It is canceled, which is final.' }],
])('from %s to %s, for a member with every right', (from, to, move) => {
  expect(moveOf(objective(from), to, all)).toEqual(move);
});

it.each<[ObjectiveStatus, ObjectiveStatus, RegExp]>([
  ['active', 'blocked', /Only its assignee, ben, and members/],
  ['blocked', 'active', /Only its assignee, ben, and members/],
  ['active', 'done', /Only its assignee, ben, may complete/],
  ['active', 'cancelled', /Only its originator/],
])('from %s to %s, is refused to a member without the right, with the reason', (from, to, sentence) => {
  expect(moveOf(objective(from), to, none)).toEqual({
    kind: 'refused',
    sentence: expect.stringMatching(sentence),
  });
});
