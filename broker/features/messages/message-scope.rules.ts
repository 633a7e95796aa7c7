/** Where a message belongs. A scope is one thread that history pages through; its key is stored with each message. */
import { refuse } from '#protocol/errors.ts';
import { generalChannelId, type MemberName, type ObjectiveId } from '#protocol/ids.ts';
import type { HistoryQuery, PushPayload } from '#protocol/message.ts';

export type Scope =
  | { kind: 'general' }
  | { kind: 'channel'; channelId: string }
  | { kind: 'direct'; members: readonly [MemberName, MemberName] }
  | { kind: 'objective'; objectiveId: ObjectiveId };

/** The stored key. Member names hold no colon, so a pair reads back unambiguously; it is ordered, so both sides share it. */
export function scopeKey(scope: Scope): string {
  switch (scope.kind) {
    case 'general':
      return 'general';
    case 'channel':
      return `chan:${scope.channelId}`;
    case 'objective':
      return `obj:${scope.objectiveId}`;
    case 'direct':
      return `dm:${[...scope.members].sort().join(':')}`;
  }
}

const channelScope = (channelId: string): Scope =>
  channelId === generalChannelId ? { kind: 'general' } : { kind: 'channel', channelId };

/**
 * The scope a push addresses (specification "Messaging" rule 1, D5): `to` is a direct message, `data.thread` a channel post,
 * neither a broadcast. Only the broker writes `data.event`.
 */
export function scopeOfPush(sender: MemberName, payload: PushPayload): Scope {
  const data = payload.data ?? {};
  if (Object.hasOwn(data, 'event'))
    refuse('bad_request', 'data.event is written by the broker only; leave it out');
  const to = payload.to ?? null;
  if (!Object.hasOwn(data, 'thread'))
    return to === null ? { kind: 'general' } : { kind: 'direct', members: [sender, to] };
  if (to !== null) refuse('bad_request', 'a message has either "to" or data.thread, not both');
  const { thread } = data;
  if (typeof thread !== 'string' || !/^chan:.+$/.test(thread)) {
    refuse(
      'bad_request',
      'data.thread must be "chan:<channel id>"; objective threads take posts at /objectives/<id>/discuss',
    );
  }
  return channelScope(thread.slice('chan:'.length));
}

/** The scope a history request reads; `general` when it names none. */
export function scopeOfHistory(reader: MemberName, query: HistoryQuery): Scope {
  if (query.with !== undefined) return { kind: 'direct', members: [reader, query.with] };
  if (query.channel !== undefined) return channelScope(query.channel);
  if (query.objective !== undefined) return { kind: 'objective', objectiveId: query.objective };
  return { kind: 'general' };
}
