/** The team as the agent's member sees it, kept fresh: the briefing, its own objectives, and the names of its channels. */
import { readChannelSlugs } from '#client/channel-slugs.ts';
import type { Briefing } from '#protocol/briefing.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { objectivePages } from '#protocol/lists.ts';
import type { Objective } from '#protocol/objective.ts';
import { allOf } from '#protocol/pages.ts';
import type { MessageContext } from '../delivery/message-block.rules.ts';
import { sealOf } from '../delivery/message-seal.ts';
import type { Sleeper } from '../delivery/wakes.rules.ts';
import { createObjectivesTracker, type Fresh, type ObjectivesTracker } from './objectives-tracker.ts';

export interface TeamView extends Pick<ObjectivesTracker, 'originated' | 'touch' | 'settled'> {
  readonly briefing: Briefing;
  /** Returns the context in which a message is shown. */
  messageContext(): MessageContext;
  /** Returns the facts that decide which messages wake the agent. */
  sleeper(): Sleeper;
  /** Channels were made, renamed, joined, or left. */
  channelsChanged(): void;
}

export interface TeamViewOptions {
  client: BrokerClient;
  first: Fresh;
  /** The agent's tools may have changed. */
  onChanged(): void;
  log: (event: string, data?: object) => void;
}

/** Opens the view; `parts` closes it. @throws ConnectionError or BrokerError. */
export async function openTeamView(
  parts: AsyncDisposableStack,
  { client, first, onChanged, log }: TeamViewOptions,
): Promise<TeamView> {
  let slugById = await readChannelSlugs(client);
  const tracker = createObjectivesTracker({
    first,
    read: () => readTeam(client),
    onChanged,
    onError: (error) => log('the briefing was not read', { reason: String(error) }),
  });
  parts.defer(tracker.stop);
  return {
    get briefing() {
      return tracker.briefing;
    },
    get originated() {
      return tracker.originated;
    },
    touch: tracker.touch,
    settled: tracker.settled,
    messageContext: () => ({
      self: tracker.briefing.name,
      roleOf: (member) => tracker.briefing.teammates.find((one) => one.name === member)?.role.title,
      sealOf,
      slugOf: (id) => slugById.get(id),
      objectives: tracker.briefing.openObjectives,
    }),
    sleeper: () => ({
      name: tracker.briefing.name,
      policy: tracker.briefing.wakes ?? 'default',
      isManager: tracker.briefing.permissions.includes('members.manage'),
      objectives: new Set([...tracker.briefing.openObjectives.map(({ id }) => id), ...tracker.originated]),
    }),
    channelsChanged() {
      readChannelSlugs(client).then(
        (next) => {
          slugById = next;
        },
        () => undefined,
      );
    },
  };
}

const openStatuses = ['active', 'blocked'] as const;

/**
 * Returns the briefing, with all open objectives, and the open objectives of the agent's own making if they decide about
 * its tools (specification/runner.md#toolbox-rules). @throws like the client.
 */
export async function readTeam(client: BrokerClient): Promise<Fresh> {
  const newest = await client.call('briefing', {});
  const { name } = newest;
  const briefing =
    newest.openObjectiveCount === undefined
      ? newest
      : { ...newest, openObjectives: await openObjectives(client, { assignee: name }) };
  const held: readonly string[] = briefing.permissions;
  if (held.includes('objectives.cancel') && held.includes('objectives.watch'))
    return { briefing, originated: new Set() };
  const own = await openObjectives(client, { originator: name });
  // A broker before this filter answers those of everybody.
  return { briefing, originated: new Set(own.filter((one) => one.originator === name).map(({ id }) => id)) };
}

/** Active ones first, and then newest first. */
async function openObjectives(
  client: BrokerClient,
  whose: { assignee: string } | { originator: string },
): Promise<Objective[]> {
  const found: Objective[] = [];
  for (const status of openStatuses)
    found.push(...(await allOf(objectivePages(client, { ...whose, status }))));
  return found;
}
