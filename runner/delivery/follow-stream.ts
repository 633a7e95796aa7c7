/** The member's stream while the agent lives: its messages are delivered, and what it reports as changed is fetched again. */
import type { HttpClient } from '#client/http-client.ts';
import { followMessages } from '#client/live-stream.ts';
import { reasonOf } from '#platform/error-text.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Message } from '#protocol/message.ts';
import { scopeOfThread } from '#protocol/scope.ts';
import type { RunState } from '../session/run-state.ts';
import type { TeamView } from '../session/team-view.ts';
import { createCatchUp } from './catch-up.ts';
import type { Delivery } from './delivery.ts';
import { assignedBy } from './message-block.rules.ts';

export interface StreamFollower {
  start(): void;
  /** Resolves when the stream has ended, also if it was not started. */
  stop(): Promise<void>;
}

export interface StreamFollowerDeps {
  http: HttpClient;
  client: BrokerClient;
  /** The agent's member name. */
  name: string;
  state: RunState;
  delivery: Delivery;
  /** Called after each message for the model. */
  onArrived(): void;
  team: Pick<TeamView, 'touch' | 'settled' | 'channelsChanged'>;
  /** The broker refuses this run permanently: the token is revoked, or the member is gone. */
  onRefused(reason: string): void;
  /** A presence frame, as received. */
  onPresence(data: string): void;
  /** Something about the member itself changed. */
  onOwnChange(): void;
  log: (event: string, data?: object) => void;
  tell: (line: string) => void;
}

/** Rejects when the signal aborts; never resolves. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

export function createStreamFollower(deps: StreamFollowerDeps): StreamFollower {
  const leaving = new AbortController();
  let following: Promise<void> = Promise.resolve();
  return {
    start() {
      following = followStream(deps, leaving.signal);
    },
    stop() {
      leaving.abort();
      return following;
    },
  };
}

/** Resolves when it has ended. */
function followStream(deps: StreamFollowerDeps, signal: AbortSignal): Promise<void> {
  const { http, client, name, state, delivery, onArrived, team, log, tell } = deps;
  const gone = aborted(signal);
  gone.catch(() => undefined);
  function unlessGone<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    return Promise.race([work, gone]);
  }
  const isAssignment = (message: Message): boolean => assignedBy(message, name) !== null;
  /** The block of an assignment shows the objective, which the team's view may not have yet. */
  async function knowObjectives(): Promise<void> {
    team.touch();
    await team.settled();
  }
  async function readWaiting() {
    const waiting = await client.call('waiting', {});
    if (waiting.messages.some(isAssignment)) await knowObjectives();
    return waiting;
  }
  const catchUp = createCatchUp({
    delivery,
    state,
    waiting: () => unlessGone(readWaiting()),
    now: Date.now,
  });
  let isLost = false;
  return followMessages({
    http,
    name,
    signal,
    ...(state.cursor !== null && { cursor: state.cursor }),
    async onMessage(message, cursor) {
      if (scopeOfThread(message.data.thread)?.kind === 'objective') team.touch();
      if (isAssignment(message)) await unlessGone(knowObjectives());
      catchUp.saw(message.id);
      if (message.from === name) delivery.pass(cursor, message.id);
      else delivery.add(message, cursor);
      onArrived();
    },
    async onState(stream) {
      log('stream', stream);
      if (stream.state === 'lost') {
        if (!isLost)
          tell(
            `the broker is unreachable (${stream.reason}); messages are delivered when the connection is back`,
          );
        isLost = true;
        return;
      }
      if (isLost) tell('the connection to the broker is back');
      isLost = false;
      if (stream.state === 'reset') catchUp.forget();
      await catchUp.run(stream.cursor);
      onArrived();
      team.touch();
    },
    onNews(event, data) {
      if (event === 'presence') deps.onPresence(data);
      if (event !== 'change') return;
      const { resource, id } = JSON.parse(data) as { resource?: string; id?: string };
      if (resource === 'member' && id === name) deps.onOwnChange();
      if (resource === 'channel') team.channelsChanged();
      if (resource === 'member' || resource === 'team' || resource === 'objective') team.touch();
    },
  }).catch((error: unknown) => {
    const reason = reasonOf(error);
    log('the stream ended', { reason });
    deps.onRefused(reason);
  });
}
