/** Sending: a message is sent under a key, so that trying again after a lost answer cannot send it twice. */
import type { BrokerClient } from '#protocol/client.ts';
import type { Level, Message } from '#protocol/message.ts';
import { formatScope, parseScope } from '#protocol/scope.ts';
import type { Transport } from '../../data/transport.ts';

export interface Outgoing {
  scope: string;
  body: string;
  level: Level;
  attachments: readonly string[];
  key: string;
}

export async function sendMessage(client: BrokerClient, message: Outgoing): Promise<Message> {
  const { body, level, key } = message;
  const attachments = [...message.attachments];
  const headers = { 'idempotency-key': key };
  const scope = parseScope(message.scope);
  if (scope?.kind === 'objective')
    return client.call('discussObjective', {
      params: { id: scope.objectiveId },
      body: { body, attachments },
      headers,
    });
  const to = scope?.kind === 'direct' ? scope.member : null;
  const data = scope?.kind === 'channel' ? { thread: formatScope(scope) } : undefined;
  const result = await client.call('push', { body: { to, body, level, attachments, data }, headers });
  return result.message;
}

/** Puts a file into one's own home, where it can be attached from. Answers its path. @throws Error with a sentence. */
export async function uploadForAttaching(
  transport: Transport,
  self: string,
  file: File,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const name = file.name.normalize('NFC').replaceAll(/[\\/\p{Cc}]/gu, '_') || 'file';
  const query = new URLSearchParams({
    path: `/${self}/attachments/${name}`,
    mime: file.type || 'application/octet-stream',
    collide: 'suffix',
  });
  const { status, body } = await transport.upload(`/fs/write?${query}`, file, onProgress, signal);
  const reply = JSON.parse(body || '{}') as { entry?: { path: string }; message?: string };
  if (status !== 200 || reply.entry === undefined)
    throw new Error(reply.message ?? `the broker answered ${status}`);
  return reply.entry.path;
}
