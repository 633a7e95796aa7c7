/** The agents of the team with what they do, live. */
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { use, useEffect } from 'react';
import type { ActivitySummaries, ActivitySummary } from '#protocol/activity-summary.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { apply, refetch } from '../../data/make-change.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { useHeldPosts, useRoster, useUsage } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { openSteadily } from '../../data/steady-stream.ts';
import { lastDays, usageByMember } from '../../data/token-usage.ts';
import { KindsContext } from '../../ui/kind.tsx';
import { relativeTime } from '../../ui/time.rules.ts';
import { clockTime, useNow } from '../../ui/time.tsx';
import {
  type AgentFacts,
  type AgentState,
  byNeed,
  stateOfAgent,
  stuckSigns,
  withSigns,
} from './fleet.rules.ts';

export interface FleetAgent extends AgentFacts {
  role: string;
  state: AgentState;
  /** Sentences that say why it may be stuck. */
  stuck: readonly string[];
  /** Undefined if the reader may not know it. */
  tokensToday: number | undefined;
}

export interface Fleet {
  /** Undefined until the members are known. */
  agents: readonly FleetAgent[] | undefined;
  error: Error | null;
  retry(): void;
}

const recentRows = 20;

/** Puts a live row in front of the held ones. */
const withNewest = ({ activity }: ActivitySummaries, row: ActivitySummary): ActivitySummaries =>
  activity.some(({ id }) => id === row.id)
    ? { activity }
    : { activity: [row, ...activity].slice(0, recentRows) };

/** Keeps the newest activity of members live. */
function useLiveRecent(): void {
  const { transport } = useBroker();
  const cache = useQueryClient();
  useEffect(() => {
    let wasReady = false;
    return openSteadily(
      transport,
      {
        url: '/activity/stream',
        events: ['summary', 'reset'],
        onState: () => undefined,
        onReady(isWhole) {
          if (wasReady ? !isWhole : true) refetch(cache, keys.recentActivity());
          wasReady = true;
        },
        onEvent({ event, data }) {
          if (event === 'reset') refetch(cache, keys.recentActivity());
          if (event !== 'summary') return;
          const row = JSON.parse(data) as ActivitySummary;
          apply(cache, keys.recentActivity(row.memberName), (held: ActivitySummaries) =>
            withNewest(held, row),
          );
        },
      },
      'summary',
    );
  }, [transport, cache]);
}

/** `max`: of so many agents, those that need somebody first, the newest activity is read. */
export function useFleet(max: number): Fleet {
  const { client } = useBroker();
  const cache = useQueryClient();
  const now = useNow();
  const self = useSelf().member;
  const maySeeAll = useMay('teamActivity');
  const kinds = use(KindsContext);
  const roster = useRoster();
  const held = useHeldPosts();
  const active = useObjectiveList({ status: 'active' });
  const blocked = useObjectiveList({ status: 'blocked' });
  const usage = useUsage(1);
  useLiveRecent();
  const names = (roster.data?.teammates ?? [])
    .map(({ name }) => name as string)
    .filter((name) => kinds.byName.get(name)?.kind === 'agent');
  const presenceByName = new Map((roster.data?.connected ?? []).map((one) => [one.name as string, one]));
  const open = [...(active.objectives ?? []), ...(blocked.objectives ?? [])];
  const tokensByName = new Map(
    usageByMember(usage.data?.usage ?? [], lastDays(1, now)).map((one) => [one.member, one.tokens[0]]),
  );

  function agentOf(name: string, recent?: AgentFacts['recent']): FleetAgent {
    const facts: AgentFacts = {
      name,
      presence: presenceByName.get(name),
      objectives: open.filter(({ assignee }) => assignee === name),
      held: (held.data?.held ?? []).filter(({ from }) => from === name),
      recent,
    };
    const stuck = stuckSigns(facts, now, (at) => relativeTime(at, now));
    return {
      ...facts,
      role: roster.data?.teammates.find((one) => one.name === name)?.role.title ?? '',
      state: withSigns(stateOfAgent(facts, clockTime), stuck),
      stuck,
      tokensToday: maySeeAll || name === self ? (tokensByName.get(name) ?? 0) : undefined,
    };
  }

  const readable = byNeed(names.map((name) => agentOf(name)))
    .slice(0, max)
    .map(({ name }) => name)
    .filter((name) => maySeeAll || name === self);
  const answers = useQueries({
    queries: readable.map((name) => ({
      queryKey: keys.recentActivity(name),
      gcTime: 0,
      queryFn: () => client.call('teamActivity', { query: { member: name, limit: String(recentRows) } }),
    })),
  });
  const recentByName = new Map(readable.map((name, at) => [name, answers[at]?.data?.activity]));

  function retry(): void {
    void roster.refetch();
    void cache.invalidateQueries({ queryKey: keys.kinds });
  }

  const agents =
    roster.data === undefined || !kinds.isKnown
      ? undefined
      : byNeed(names.map((name) => agentOf(name, recentByName.get(name))));
  return { agents, error: roster.error ?? kinds.error, retry };
}
