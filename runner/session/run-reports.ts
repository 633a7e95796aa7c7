/**
 * The reports of a run to the broker, and how messages reach its agent: whether the agent and its model work, the
 * evidence for its messages, calls that wait for messages, and the final text of a turn as the reply.
 */
import { randomUUID } from 'node:crypto';
import type { HttpClient } from '#client/http-client.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Bundle, Capabilities } from '../agents/agent.ts';
import type { AgentLink } from '../agents/agent-link.ts';
import { createDelivery, type Delivery } from '../delivery/delivery.ts';
import { createMessageWaits, type MessageWaits } from '../delivery/message-waits.ts';
import { wakes } from '../delivery/wakes.rules.ts';
import { createBrokerCalls } from '../toolbox/broker-calls.ts';
import { post } from '../toolbox/post.ts';
import { alwaysWhole } from '../toolbox/tool.ts';
import { localTime } from './local-time.ts';
import { createModelReport } from './model-report.ts';
import { createPersistence, type Persistence } from './persistence.ts';
import type { RunState } from './run-state.ts';
import type { TeamView } from './team-view.ts';
import { createTurnCauses, type TurnCauses } from './turn-causes.ts';
import type { TurnReply } from './turn-reply.rules.ts';
import { createTurnReplies, type TurnReplies } from './turn-reply.ts';
import { createWorkReport, type WorkReport } from './work-report.ts';

export interface RunReports {
  work: WorkReport;
  delivery: Delivery;
  waits: MessageWaits;
  causes: TurnCauses;
  replies: TurnReplies;
}

export interface RunReportsOptions {
  http: HttpClient;
  client: BrokerClient;
  link: AgentLink;
  state: RunState;
  team: TeamView;
  member: string;
  capabilities: Capabilities;
  onWork?: ((isWorking: boolean) => void) | undefined;
  onAsked(asked: readonly TurnReply[]): void;
  tell(line: string): void;
  log: (event: string, data?: object) => void;
}

/** For the final text of a turn, at the end of the run. */
const replyTimeoutMs = 3000;

/** Opens them; `parts` reports what is left. */
export function openReports(parts: AsyncDisposableStack, options: RunReportsOptions): RunReports {
  const { client, state, link, team, capabilities, onWork, log } = options;
  const work = createWorkReport({
    report: (busy) => client.call('reportBusy', { body: { busy } }),
    onWork,
    log,
  });
  const waits = createMessageWaits(
    () => delivery,
    () => replies.isComing,
    alwaysWhole,
  );
  const causes = createTurnCauses();
  const persistence = createPersistence({
    onWait: ({ message }) => log('the final text of the turn waits for the broker', { reason: message }),
  });
  const replies = repliesOf(options, causes, persistence);

  /** To a tool call that waits for messages, or else to the agent. */
  async function bring(bundle: Bundle): Promise<void> {
    const { messages = [] } = bundle;
    const isTaken = waits.take(bundle);
    const { isTurn } = work;
    replies.brought(messages, isTaken || !isTurn);
    if (isTaken) return;
    await link.bring(bundle, isTurn).catch((error: unknown) => {
      replies.refused(messages);
      throw error;
    });
  }

  const delivery: Delivery = createDelivery({
    state,
    offer: capabilities.hasChannel ? link.show : null,
    messageContext: team.messageContext,
    wakes: (message) => wakes(message, team.sleeper()),
    onHandOver: causes.handedOver,
    bring: capabilities.canWake ? bring : null,
    report: async (id, evidence, at) => {
      await client.call('reportEvidence', { params: { id }, body: { state: evidence, at } });
    },
    onRefusal: (refusal) => modelReport.set(refusal),
    now: Date.now,
    random: Math.random,
    schedule(delayMs, attempt) {
      const timer = setTimeout(attempt, delayMs);
      return () => clearTimeout(timer);
    },
    log,
  });
  const modelReport = createModelReport({
    ...options,
    report: (report) => client.call('reportModel', { body: report }),
    waiting: () => delivery.unsettled,
    timeOf: localTime,
  });
  parts.defer(async () => {
    delivery.stop();
    // Together, as each may wait for a silent broker.
    await Promise.allSettled([
      work.stop(),
      modelReport.stop(),
      delivery.flushReports(),
      persistence.stop(replyTimeoutMs),
    ]);
  });
  return { work, delivery, waits, causes, replies };
}

function repliesOf(
  { http, team, member, onAsked, log }: RunReportsOptions,
  { current }: TurnCauses,
  { persist }: Persistence,
): TurnReplies {
  const broker = createBrokerCalls(http);
  return createTurnReplies({
    self: member,
    post({ place, inReplyTo }, body) {
      // The same each time, so that the broker stores it once.
      const [key, causes] = [randomUUID(), [...current()]];
      const context = { broker, briefing: team.briefing, causes: () => causes };
      return persist(() => post(context, place, { body, inReplyTo, auto: true, key }));
    },
    onAsked,
    log,
  });
}
