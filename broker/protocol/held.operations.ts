/** Held posts. Part of the contract table in operations.ts. */
import { HeldList, HeldParams, ReleasedPost } from './held.ts';
import type { Operation } from './operation.ts';

export const heldOperations = {
  heldPosts: {
    method: 'GET',
    path: '/held',
    summary: 'The posts of agents that are held: all of them for managers, else the caller’s own.',
    plane: 'dual',
    rule: ['member'],
    reply: HeldList,
    status: 200,
  },
  releaseHeld: {
    method: 'POST',
    path: '/held/:id/release',
    summary: 'Deliver a held post as a message. Only a person may, not a run.',
    plane: 'dual',
    rule: ['members.manage'],
    params: HeldParams,
    reply: ReleasedPost,
    status: 200,
  },
  dropHeld: {
    method: 'DELETE',
    path: '/held/:id',
    summary: 'Delete a held post, which nobody gets. Only a person may, not a run.',
    plane: 'dual',
    rule: ['members.manage'],
    params: HeldParams,
    reply: 'empty',
    status: 204,
  },
} as const satisfies Record<string, Operation>;
