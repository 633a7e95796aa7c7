/** What a run reports to the broker: whether the agent and its model work, and the evidence for its messages. */
import type { BrokerClient } from '#protocol/client.ts';
import type { Capabilities } from '../agents/agent.ts';
import type { AgentLink } from '../agents/agent-link.ts';
import { createDelivery, type Delivery } from '../delivery/delivery.ts';
import { createModelWatch, type ModelWatch } from '../delivery/model-watch.ts';
import { localTime } from './local-time.ts';
import { createModelReport } from './model-report.ts';
import type { RunState } from './run-state.ts';
import type { TeamView } from './team-view.ts';
import { createWorkReport, type WorkReport } from './work-report.ts';

export interface RunReports {
  work: WorkReport;
  delivery: Delivery;
  model: ModelWatch;
}

export interface RunReportsOptions {
  client: BrokerClient;
  link: AgentLink;
  state: RunState;
  team: TeamView;
  member: string;
  capabilities: Capabilities;
  onWork?: ((isWorking: boolean) => void) | undefined;
  tell(line: string): void;
  log: (event: string, data?: object) => void;
}

/** Opens them; `parts` reports what is left. */
export function openReports(
  parts: AsyncDisposableStack,
  { client, link, state, team, member, capabilities, onWork, tell, log }: RunReportsOptions,
): RunReports {
  const work = createWorkReport({
    report: (busy) => client.call('reportBusy', { body: { busy } }),
    onWork,
    log,
  });
  const delivery = createDelivery({
    state,
    offer: capabilities.hasChannel ? link.show : null,
    messageContext: team.messageContext,
    bring: capabilities.canWake ? (bundle) => link.bring(bundle, work.isTurn) : null,
    report: async (id, evidence, at) => {
      await client.call('reportEvidence', { params: { id }, body: { state: evidence, at } });
    },
    now: Date.now,
    log,
  });
  const modelReport = createModelReport({
    member,
    report: (state) => client.call('reportModel', { body: state }),
    waiting: () => delivery.unsettled,
    timeOf: localTime,
    tell,
    log,
  });
  const model = createModelWatch({
    delivery,
    wakes: capabilities.canWake,
    onRefusal: modelReport.set,
    now: Date.now,
    random: Math.random,
    schedule(delayMs, attempt) {
      const timer = setTimeout(attempt, delayMs);
      return () => clearTimeout(timer);
    },
    log,
  });
  parts.defer(async () => {
    model.stop();
    // Together, as each may wait for a silent broker.
    await Promise.allSettled([work.stop(), modelReport.stop(), delivery.flushReports()]);
  });
  return { work, delivery, model };
}
