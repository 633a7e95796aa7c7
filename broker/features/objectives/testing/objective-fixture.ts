/** An objective in each state, and the possible roles of a member, for tests of the rules. */
import { type Objective, Objective as ObjectiveShape, type ObjectiveStatus } from '#protocol/objective.ts';
import type { Mover } from '../objective.rules.ts';

export const personas: Record<string, Mover> = {
  assignee: { name: 'ben', permissions: [] },
  originator: { name: 'cy', permissions: [] },
  watcher: { name: 'dee', permissions: [] },
  outsider: { name: 'eve', permissions: [] },
  canceller: { name: 'eve', permissions: ['objectives.cancel'] },
  'keeper of watchers': { name: 'eve', permissions: ['objectives.watch'] },
  'holder of objectives.reassign': { name: 'eve', permissions: ['objectives.reassign'] },
  manager: { name: 'ada', permissions: ['members.manage'] },
};

export const objectiveIn = (status: ObjectiveStatus): Objective =>
  ObjectiveShape.parse({
    id: 'obj_0123456789',
    title: 'Ship',
    outcome: 'It is shipped',
    body: '',
    status,
    assignee: 'ben',
    originator: 'cy',
    watchers: ['dee'],
    blockReason: status === 'blocked' ? 'waiting' : null,
    result: status === 'done' ? 'shipped' : null,
    attachments: [],
    createdAt: 1,
    updatedAt: 1,
    completedAt: status === 'done' ? 1 : null,
  });
