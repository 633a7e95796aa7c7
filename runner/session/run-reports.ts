/**
 * What a run reports to the broker and how messages reach its agent: whether the agent works, the evidence for
 * its messages, calls that wait for messages, and the final text of a turn as the reply.
 */
import type { HttpClient } from '#client/http-client.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Capabilities } from '../agents/agent.ts';
import type { AgentLink } from '../agents/agent-link.ts';
import { createDelivery, type Delivery } from '../delivery/delivery.ts';
import { createMessageWaits, type MessageWaits } from '../delivery/message-waits.ts';
import { createBrokerCalls } from '../toolbox/broker-calls.ts';
import { post } from '../toolbox/post.ts';
import type { RunState } from './run-state.ts';
import type { TeamView } from './team-view.ts';
import { createTurnReplies, type TurnReplies } from './turn-reply.ts';
import { createWorkReport, type WorkReport } from './work-report.ts';

export interface Reports {
  work: WorkReport;
  delivery: Delivery;
  waits: MessageWaits;
  replies: TurnReplies;
}

interface ReportsRequest {
  http: HttpClient;
  client: BrokerClient;
  member: string;
  link: AgentLink;
  state: RunState;
  capabilities: Pick<Capabilities, 'canWake' | 'hasChannel'>;
  team: Pick<TeamView, 'messageContext'>;
  onWork: ((isWorking: boolean) => void) | undefined;
  log: (event: string, data?: object) => void;
}

/** `parts` ends them. */
export function openReports(
  parts: AsyncDisposableStack,
  { http, client, member, link, state, capabilities, team, onWork, log }: ReportsRequest,
): Reports {
  const work = createWorkReport({
    report: (busy) => client.call('reportBusy', { body: { busy } }),
    onWork,
    log,
  });
  const waits = createMessageWaits(() => delivery);
  const calls = createBrokerCalls(http);
  const replies = createTurnReplies({
    self: member,
    post: ({ place, inReplyTo }, body) => post(calls, place, { body, inReplyTo, auto: true }),
    log,
  });
  const delivery: Delivery = createDelivery({
    state,
    offer: capabilities.hasChannel ? link.show : null,
    messageContext: team.messageContext,
    bring: capabilities.canWake
      ? async (bundle) => {
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
      : null,
    report: async (id, evidence, at) => {
      await client.call('reportEvidence', { params: { id }, body: { state: evidence, at } });
    },
    now: Date.now,
    log,
  });
  parts.defer(async () => {
    // Together, as each may wait for a silent broker.
    await Promise.allSettled([work.stop(), delivery.flushReports()]);
  });
  return { work, delivery, waits, replies };
}
