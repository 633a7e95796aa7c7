/**
 * One outgoing message of the command: its text, its options, and the line that is printed when it was
 * delivered.
 */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { ConnectionError } from '#client/connection-error.ts';
import { limits } from '#protocol/limits.ts';
import { type Level, PushPayload, type PushResult } from '#protocol/message.ts';
import { levels } from '#protocol/vocabulary.ts';
import { teamPathsOf, withUploads } from './attached-files.ts';
import type { BrokerConnection } from './broker-connection.ts';
import { attachedPaths } from './checked-input.ts';
import { CommandFailure } from './command-failure.ts';
import { sentences } from './sentences.ts';
import { oneLine } from './terminal-text.ts';
import { UsageError } from './usage-error.ts';

/** The options of every verb that sends. */
export const messageOptions = {
  title: { type: 'string', value: '<title>', help: 'title of the message' },
  level: { type: 'string', value: '<level>', help: `${levels.join(', ')} (default: info)` },
  attach: {
    type: 'string',
    value: '<list>',
    help: 'comma-separated files for the recipients: paths of the team begin with "/", others are uploaded to your home',
  },
  stdin: { type: 'boolean', help: 'read the text from standard input; "-" as the only word does the same' },
  'idempotency-key': {
    type: 'string',
    value: '<key>',
    help: 'a message that is sent again with the same key within a day is delivered once',
  },
} as const;

export interface Outgoing {
  payload: { body: string; title?: string; level?: Level; inReplyTo?: string };
  /** As written: also of files that are to be uploaded. */
  attach: string[] | undefined;
  key: string;
}

/**
 * Reads what to send; `after` is the word that the text follows. @throws UsageError, CommandFailure if there
 * is no text; then nothing was sent.
 */
export async function readOutgoing(
  words: string[],
  values: {
    title?: string;
    level?: string;
    attach?: string;
    stdin?: boolean;
    'idempotency-key'?: string;
    'in-reply-to'?: string;
  },
  after?: string,
): Promise<Outgoing> {
  const level = checkedLevel(values.level);
  const key = checkedKey(values['idempotency-key']);
  const body = await bodyOf(words, values.stdin ?? false, after);
  const { title, 'in-reply-to': inReplyTo } = values;
  const attach = attachedPaths(values.attach);
  if (body.trim() === '') throw new UsageError('the text is empty. Write what you want to say.');
  const payload = {
    body,
    ...(title !== undefined && { title }),
    ...(level !== undefined && { level }),
    ...(inReplyTo !== undefined && { inReplyTo }),
  };
  refuseUnsendable({ ...payload, attachments: teamPathsOf(attach) });
  return { payload, attach, key };
}

/** @param to the rest of the payload: a recipient, a channel's thread, or nothing for everybody. */
export async function deliver(
  connection: Pick<BrokerConnection, 'client' | 'http'>,
  { payload, attach, key }: Outgoing,
  to: { to?: string; data?: { thread: string } },
): Promise<PushResult> {
  const attachments = await withUploads(connection, attach);
  const body = { ...payload, ...(attachments !== undefined && { attachments }), ...to };
  try {
    return await connection.client.call('push', { body, headers: { 'idempotency-key': key } });
  } catch (error) {
    if (error instanceof ConnectionError && error.mayHaveArrived)
      throw new CommandFailure(
        sentences(
          error.message,
          `The message may have been delivered. Repeat the command with --idempotency-key ${key} to deliver it exactly once.`,
        ),
      );
    throw error;
  }
}

const optionByField: Readonly<Record<string, string>> = { attachments: 'attach', inReplyTo: 'in-reply-to' };

/** Refuses, before anything is sent, what no broker would accept. */
function refuseUnsendable(payload: unknown): void {
  const checked = PushPayload.safeParse(payload);
  if (checked.success) return;
  const [issue] = checked.error.issues;
  const field = String(issue?.path[0]);
  const option = field === 'body' ? 'the text' : `--${optionByField[field] ?? field}`;
  throw new UsageError(`${option}: ${issue?.message}`);
}

async function bodyOf(words: string[], fromStdin: boolean, after?: string): Promise<string> {
  const onlyDash = words.length === 1 && words[0] === '-';
  if (fromStdin && words.length > 0 && !onlyDash)
    throw new UsageError('pass the text as words or with --stdin, not both');
  if (fromStdin || onlyDash) return readStdin();
  if (words.length === 0)
    throw new UsageError(
      `there is no text. Write it${after === undefined ? '' : ` after "${after}"`}, or pass --stdin.`,
    );
  return words.join(' ');
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limits.body.json)
      throw new CommandFailure(
        `the text is longer than ${limits.message.body} characters. Nothing was sent; shorten the text, or attach it as a file.`,
      );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  } catch {
    throw new CommandFailure(
      'standard input is not UTF-8 text. Nothing was sent; convert the text to UTF-8.',
    );
  }
}

function checkedLevel(level: string | undefined): Level | undefined {
  if (level === undefined) return undefined;
  const known = levels.find((one) => one === level);
  if (known === undefined) throw new UsageError(`--level must be one of ${levels.join(', ')}`);
  return known;
}

export function checkedKey(key: string | undefined): string {
  if (key === undefined) return randomUUID();
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= limits.idempotencyKey.characters) return key;
  throw new UsageError(
    `--idempotency-key must be 1 to ${limits.idempotencyKey.characters} visible ASCII characters`,
  );
}

/** @param channel the slug, for a channel post. */
export function deliveryLine({ delivery, message, held }: PushResult, channel: string | undefined): string {
  if (held !== undefined) return heldLine(held.id);
  const counts = `live=${delivery.live} targets=${delivery.targets} msg=${oneLine(message.id)}`;
  if (message.to !== null) return `delivered to ${oneLine(message.to)}: ${counts}`;
  return channel === undefined
    ? `broadcast delivered: ${counts}`
    : `posted to #${oneLine(channel)}: ${counts}`;
}

/** The broker holds a post because the member's agent is running (specification/messages.md#held-posts). */
export const heldLine = (id: string): string =>
  `held, not delivered: a member with members.manage must release it (muster held). held=${oneLine(id)}`;
