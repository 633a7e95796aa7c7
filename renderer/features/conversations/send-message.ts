/** Sends a message under an idempotency key, so that a retry after a lost response cannot send it twice. */
import type { BrokerClient } from '#protocol/client.ts';
import type { Level, Message } from '#protocol/message.ts';
import { formatScope, parseScope } from '#protocol/scope.ts';

export interface Outgoing {
  scope: string;
  body: string;
  level: Level;
  attachments: readonly string[];
  /** The id of the message that it answers; null for none. */
  inReplyTo: string | null;
  key: string;
}

export async function sendMessage(client: BrokerClient, message: Outgoing): Promise<Message> {
  const { body, level, key, inReplyTo } = message;
  const attachments = [...message.attachments];
  const headers = { 'idempotency-key': key };
  const scope = parseScope(message.scope);
  if (scope?.kind === 'objective')
    return client.call('discussObjective', {
      params: { id: scope.objectiveId },
      body: { body, attachments, inReplyTo },
      headers,
    });
  const to = scope?.kind === 'direct' ? scope.member : null;
  const data = scope?.kind === 'channel' ? { thread: formatScope(scope) } : undefined;
  const result = await client.call('push', {
    body: { to, body, level, attachments, data, inReplyTo },
    headers,
  });
  return result.message;
}
