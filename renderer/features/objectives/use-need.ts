/** The need of an objective for the logged-in member. */
import type { Objective } from '#protocol/objective.ts';
import { relationsToObjective } from '#protocol/objective-access.ts';
import { may } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { useInbox } from '../inbox/use-inbox.ts';
import { aspectOf, type Need, needOf } from './need.rules.ts';
import { rightsTo } from './objective-rights.ts';

export function useNeed(objective: Objective): Need {
  const self = useSelf();
  const { data: inbox, isError: hasFailed } = useInbox();
  return needOf({
    objective,
    self: self.member,
    mayUpdate: rightsTo(objective, self).mayUpdate,
    mayDiscuss: may('discussObjective', self.permissions, relationsToObjective(objective, self)),
    inbox,
    hasFailed,
  });
}

/** Returns whether the inbox has something about an objective, its thread, or its assignee. */
export function useNeeding(): (objective: Objective) => boolean {
  const { data: inbox } = useInbox();
  return (objective) => inbox?.some((item) => aspectOf(item, objective) !== null) ?? false;
}
