/** An objective as a model reads it: data in an escaped block, like a message. Pure. */
import type { Objective } from '#protocol/objective.ts';
import { escapeLine, escapeLines } from './message-block.rules.ts';

export type ShownObjective = { id: string } & Pick<Objective, 'title' | 'outcome' | 'originator'> &
  Partial<Pick<Objective, 'status'>>;

const maxOutcomeCharacters = 1000;

/** Returns the block; a long outcome is shortened and says how to read the rest. */
export function objectiveBlock({ id, title, outcome, originator, status }: ShownObjective): string {
  const shown = outcome.slice(0, maxOutcomeCharacters).toWellFormed();
  const rest = shown.length < outcome.length ? ' … (objectives_view shows the rest)' : '';
  const state = status === undefined ? '' : ` status="${status}"`;
  return [
    `<svc-objective id="${escapeLine(id)}" from="${escapeLine(originator)}"${state}>`,
    `title: ${escapeLine(title)}`,
    `outcome: ${escapeLines(shown)}${rest}`,
    '</svc-objective>',
  ].join('\n');
}
