/** Marks in the activity where the agent's open objectives begin and end with the run. */
import type { ActivityEvent } from '#protocol/activity.ts';
import type { Objective } from '#protocol/objective.ts';

export interface ObjectiveMarkers {
  begin(): void;
  /** Does nothing unless `begin` was called. */
  end(): void;
}

export function createObjectiveMarkers(
  openObjectives: () => readonly Objective[],
  add: (event: ActivityEvent) => void,
): ObjectiveMarkers {
  let isBegun = false;
  return {
    begin() {
      isBegun = true;
      for (const { id } of openObjectives()) add({ kind: 'objective_open', ts: Date.now(), objectiveId: id });
    },
    end() {
      if (!isBegun) return;
      for (const { id } of openObjectives())
        add({ kind: 'objective_close', ts: Date.now(), objectiveId: id, result: 'runner_shutdown' });
    },
  };
}
