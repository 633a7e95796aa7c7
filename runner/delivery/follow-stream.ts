/** The member's stream, as long as the agent lives: what comes is delivered, what it tells of is read anew. */
import type { HttpClient } from '#client/http-client.ts';
import { followMessages } from '#client/live-stream.ts';
import { reasonOf } from '#platform/error-text.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { RunState } from '../session/run-state.ts';
import { createCatchUp } from './catch-up.ts';
import type { Delivery } from './delivery.ts';

export interface FollowStreamDeps {
  http: HttpClient;
  client: BrokerClient;
  /** The agent's member name. */
  name: string;
  state: RunState;
  delivery: Delivery;
  /** Something about objectives, members or permissions may have changed. */
  touch(): void;
  onChannels(): void;
  /** The broker refuses this run for good: the token is revoked, or the member is gone. */
  onRefused(): void;
  /** Ends it. */
  signal: AbortSignal;
  now: () => number;
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

/** Resolves when it has ended. */
export function followStream(deps: FollowStreamDeps): Promise<void> {
  const { http, client, name, state, delivery, touch, signal, now, log, tell } = deps;
  const gone = aborted(signal);
  gone.catch(() => undefined);
  const catchUp = createCatchUp({
    delivery,
    lastId: state.lastId,
    waiting() {
      const asked = client.call('waiting', {});
      asked.catch(() => undefined);
      return Promise.race([asked, gone]);
    },
    now,
  });
  return followMessages({
    http,
    name,
    signal,
    ...(state.cursor !== null && { cursor: state.cursor }),
    onMessage(message, cursor) {
      if (typeof message.data.thread === 'string' && message.data.thread.startsWith('obj:')) touch();
      catchUp.saw(message.id);
      if (message.from === name) delivery.pass(cursor, message.id);
      else delivery.add(message, cursor);
    },
    async onState(stream) {
      log('stream', stream);
      if (stream.state === 'lost') {
        tell(`the broker is not reachable (${stream.reason}); what comes is delivered later`);
        return;
      }
      if (stream.state === 'reset') catchUp.forget();
      await catchUp.run(stream.cursor);
      touch();
    },
    onNews(event, data) {
      if (event !== 'change') return;
      const { resource } = JSON.parse(data) as { resource?: string };
      if (resource === 'channel') deps.onChannels();
      if (resource === 'member' || resource === 'team' || resource === 'objective') touch();
    },
  }).catch((error: unknown) => {
    const reason = reasonOf(error);
    log('the stream ended for good', { reason });
    tell(`the broker refuses this run: ${reason}`);
    deps.onRefused();
  });
}
