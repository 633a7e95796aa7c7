/** `svc push`: one message to a member, a channel or everybody. */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import type { BrokerClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { type Level, levels, PushPayload, type PushResult } from '#protocol/message.ts';
import { ConnectionError } from '../../runner/connection/connection-error.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, printJson } from '../output.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'svc push [text...] [options]',
  takesArguments: true,
  options: {
    to: { type: 'string', value: '<member>', help: 'send to this member alone' },
    channel: { type: 'string', value: '<id>', help: 'post to this channel (general)' },
    title: { type: 'string', value: '<title>', help: 'a heading' },
    level: { type: 'string', value: '<level>', help: `${levels.join(', ')} (info unless given)` },
    stdin: { type: 'boolean', help: 'read the text from standard input; "-" as the only word does the same' },
    'idempotency-key': {
      type: 'string',
      value: '<key>',
      help: 'sent again with the same key within a day, a message is delivered once',
    },
    ...clientOptions,
  },
  notes: [
    'Without --to and --channel everybody gets it. The words are joined by spaces; put "--" before text that begins with a dash.',
    'Of standard input the last line end is dropped.',
  ],
  async run({ values, positionals, env }) {
    const { to, channel, title, json } = values;
    if (to !== undefined && channel !== undefined) throw new UsageError('pass --to or --channel, not both');
    const level = checkedLevel(values.level);
    const key = checkedKey(values['idempotency-key']);
    const body = await bodyOf(positionals, values.stdin ?? false);
    const payload = {
      body,
      ...(to !== undefined && { to }),
      ...(title !== undefined && { title }),
      ...(level !== undefined && { level }),
      ...(channel !== undefined && { data: { thread: `chan:${channel}` } }),
    };
    refuseUnsendable(payload);
    const { client } = await connectToBroker(values, env);
    const result = await deliver(client, payload, key);
    json ? printJson(result) : print(deliveryLine(result, channel));
    return 0;
  },
});

async function deliver(client: BrokerClient, body: { body: string }, key: string): Promise<PushResult> {
  try {
    return await client.call('push', { body, headers: { 'idempotency-key': key } });
  } catch (error) {
    if (error instanceof ConnectionError && error.mayHaveArrived)
      throw new CommandFailure(
        `${error.message}; it may have been delivered: repeat it with --idempotency-key ${key}, and it is delivered once`,
      );
    throw error;
  }
}

/** What no broker would take is said before anything is sent. */
function refuseUnsendable(payload: unknown): void {
  const checked = PushPayload.safeParse(payload);
  if (checked.success) return;
  const [issue] = checked.error.issues;
  const option = issue?.path[0] === 'body' ? 'the text' : `--${String(issue?.path[0])}`;
  throw new UsageError(`${option}: ${issue?.message}`);
}

async function bodyOf(words: string[], fromStdin: boolean): Promise<string> {
  const onlyDash = words.length === 1 && words[0] === '-';
  if (fromStdin && words.length > 0 && !onlyDash)
    throw new UsageError('pass the text as words or with --stdin, not both');
  if (fromStdin || onlyDash) return readStdin();
  if (words.length === 0) throw new UsageError('write the text after "push", or pass --stdin');
  return words.join(' ');
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limits.body.json)
      throw new CommandFailure(`the text is longer than ${limits.message.body} characters: nothing was sent`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  } catch {
    throw new CommandFailure('standard input is not UTF-8 text: nothing was sent');
  }
}

function checkedLevel(level: string | undefined): Level | undefined {
  if (level === undefined) return undefined;
  const known = levels.find((one) => one === level);
  if (known === undefined) throw new UsageError(`--level must be one of ${levels.join(', ')}`);
  return known;
}

function checkedKey(key: string | undefined): string {
  if (key === undefined) return randomUUID();
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= limits.idempotencyKey.characters) return key;
  throw new UsageError(
    `--idempotency-key must be 1 to ${limits.idempotencyKey.characters} visible ASCII characters`,
  );
}

function deliveryLine({ delivery, message }: PushResult, channel: string | undefined): string {
  const counts = `live=${delivery.live} targets=${delivery.targets} msg=${oneLine(message.id)}`;
  if (message.to !== null) return `delivered to ${oneLine(message.to)}: ${counts}`;
  return channel === undefined
    ? `broadcast delivered: ${counts}`
    : `posted to #${oneLine(channel)}: ${counts}`;
}
