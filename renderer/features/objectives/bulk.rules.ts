/** Changing several objectives at once: what is left out and why, and the words for it. Pure. */
import { counted } from '#protocol/counted.ts';
import type { Objective } from '#protocol/objective.ts';

export type BulkAct = 'reassign' | 'cancel' | 'watch';

/** The member's rights to one objective in its present state, as `rightsTo` answers. */
export interface BulkRights {
  mayReassign: boolean;
  mayCancel: boolean;
  mayWatch: boolean;
}

const refusals: Record<BulkAct, { right: keyof BulkRights; sentence: string }> = {
  reassign: { right: 'mayReassign', sentence: 'Only members who manage members may reassign it.' },
  cancel: {
    right: 'mayCancel',
    sentence: 'Only its originator and members who may cancel any objective can cancel it.',
  },
  watch: {
    right: 'mayWatch',
    sentence:
      'Only its originator and members who may change the watchers of any objective can change its watchers.',
  },
};

export interface LeftOut {
  objective: Objective;
  /** Why, as a sentence. */
  reason: string;
}

/** Returns the objectives that the member may change, and the others with the reason, both in their order. */
export function sortedOut(
  act: BulkAct,
  objectives: readonly Objective[],
  rightsTo: (objective: Objective) => BulkRights,
): { targets: Objective[]; leftOut: LeftOut[] } {
  const targets: Objective[] = [];
  const leftOut: LeftOut[] = [];
  const { right, sentence } = refusals[act];
  for (const objective of objectives) {
    const { status } = objective;
    if (status === 'done') leftOut.push({ objective, reason: 'It is done.' });
    else if (status === 'cancelled') leftOut.push({ objective, reason: 'It is canceled.' });
    else if (rightsTo(objective)[right]) targets.push(objective);
    else leftOut.push({ objective, reason: sentence });
  }
  return { targets, leftOut };
}

const titles: Record<BulkAct, (what: string) => string> = {
  reassign: (what) => `Reassign ${what}`,
  cancel: (what) => `Cancel ${what}`,
  watch: (what) => `Add watchers to ${what}`,
};
export const bulkTitle = (act: BulkAct, count: number): string => titles[act](counted(count, 'objective'));

const wereDone: Record<BulkAct, string> = {
  reassign: 'reassigned',
  cancel: 'canceled',
  watch: 'given watchers',
};
const were = (count: number): string => (count === 1 ? 'was' : 'were');

/** Says how many of the objectives were changed. */
export const bulkResult = (act: BulkAct, done: number, total: number): string =>
  done === total
    ? `${counted(done, 'objective')} ${were(done)} ${wereDone[act]}`
    : `${done} of ${counted(total, 'objective')} ${were(done)} ${wereDone[act]}`;

/** Says how many of the selected objectives are left out. */
export const leftOutSentence = (leftOut: number, selected: number): string =>
  selected === leftOut
    ? 'None of the selected objectives can be changed:'
    : `${leftOut} of the ${selected} selected objectives ${leftOut === 1 ? 'is' : 'are'} left out:`;
