/** Determines which conversation a push or a history request is about. */
import { refuse } from '#protocol/errors.ts';
import type { HistoryScope, PushPayload } from '#protocol/message.ts';
import { channelScope, formatScope, type Scope, scopeOfThread } from '#protocol/scope.ts';

/** The form of `data.thread` of a push. */
export const channelForm = formatScope({ kind: 'channel', channelId: '<channel id>' });
const general = formatScope({ kind: 'general' });

/**
 * Returns the scope that a push addresses (specification/messages.md#push): `to` is a direct message,
 * `data.thread` a channel post, neither a broadcast. Only the broker writes `data.event`. @throws BrokerError
 * bad_request.
 */
export function scopeOfPush(payload: PushPayload): Scope {
  const data = payload.data ?? {};
  if (Object.hasOwn(data, 'event')) refuse('event_is_reserved');
  const to = payload.to ?? null;
  if (!Object.hasOwn(data, 'thread'))
    return to === null ? { kind: 'general' } : { kind: 'direct', member: to };
  if (to !== null) refuse('thread_and_recipient');
  return channelOfThread(data.thread) ?? refuse('invalid_thread', { form: channelForm });
}

/**
 * The scope of a channel that `data.thread` of a push names: on one line, and `general` by its id as a
 * channel.
 */
function channelOfThread(thread: unknown): Scope | undefined {
  if (typeof thread !== 'string' || thread === general || !/^.+$/.test(thread)) return undefined;
  const scope = scopeOfThread(thread);
  return scope?.kind === 'objective' ? undefined : scope;
}

/** Returns the scope that a history request reads; `general` if it names none. */
export function scopeOfHistory({ with: member, channel, objective }: HistoryScope): Scope {
  if (member !== undefined) return { kind: 'direct', member };
  if (channel !== undefined) return channelScope(channel);
  if (objective !== undefined) return { kind: 'objective', objectiveId: objective };
  return { kind: 'general' };
}
