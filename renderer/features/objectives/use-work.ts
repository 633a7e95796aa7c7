/** Reads the recorded work on an objective. */
import { queryOptions, useQueries } from '@tanstack/react-query';
import type { BrokerClient } from '#protocol/client.ts';
import type { ObjectiveView } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { may, relationsToMember } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { dayUsage, shortCount, tokensOf } from '../../data/token-usage.ts';
import { gistsOfExchanges } from '../activity/activity-gist.rules.ts';
import {
  maxSteps,
  maxWorkers,
  stepsOf,
  tokensSentence,
  usageRange,
  type Worker,
  workersOf,
} from './work.rules.ts';

/** There are no events for activity, so it is polled while the page is visible. */
const intervalMs = 60_000;
const polled = { staleTime: intervalMs, refetchInterval: intervalMs };

export const stepsQuery = (client: BrokerClient, objective: string, member: string) =>
  queryOptions({
    queryKey: [...keys.activity(member), 'steps', objective],
    ...polled,
    queryFn: async () => {
      const { activity } = await client.call('activitySummaries', {
        params: { name: member },
        query: { objective, kind: 'llm_exchange', limit: String(maxSteps) },
      });
      return stepsOf(activity, gistsOfExchanges(activity), tokensOf);
    },
  });

/** All tokens of the member on the days when it had the objective. */
export const daysQuery = (client: BrokerClient, objective: string, worker: Worker) =>
  queryOptions({
    queryKey: [...keys.activity(worker.member), 'days', objective],
    ...polled,
    queryFn: async () => {
      const { from, to } = usageRange(worker, Date.now());
      const { usage } = await client.call('activityUsage', {
        query: { member: worker.member, from: String(from), to: String(to) },
      });
      const days = [...new Set(usage.map(({ day }) => day))];
      return dayUsage(usage, days).reduce((sum, tokens) => sum + tokens, 0);
    },
  });

/** Returns whether this member may see the recorded work of another. */
export function useMaySeeWork(): (member: string) => boolean {
  const self = useSelf();
  return (member) => may('activityRange', self.permissions, relationsToMember(member, self.member));
}

/** Returns the tokens of the newest recorded model requests; null if there are none that this member may see. */
export function useTokens({ objective, events }: ObjectiveView): string | null {
  const { client } = useBroker();
  const maySee = useMaySeeWork();
  const workers = workersOf(events);
  const shown = workers.slice(0, maxWorkers).filter(({ member }) => maySee(member));
  const steps = useQueries({
    queries: shown.map(({ member }) => stepsQuery(client, objective.id, member)),
    combine: (results) => results.map(({ data }) => data ?? null),
  });
  return tokensSentence(steps, shown.length < workers.length, (count) => shortCount.format(count));
}
