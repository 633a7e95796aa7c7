/** `muster recent`: past messages of one scope. */
import { limits } from '#protocol/limits.ts';
import { ObjectiveParams } from '#protocol/objective.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { channelIdOf } from '../channel-name.ts';
import { refuseUnfit } from '../checked-input.ts';
import { colored, levelStyle } from '../colors.ts';
import { messageLine } from '../message-line.ts';
import { print, printJson, remark } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

const { pageDefault, pageMax } = limits.history;

export const verb = defineVerb({
  usage: 'muster recent [options]',
  options: {
    with: { type: 'string', value: '<member>', help: 'the direct messages with this member' },
    channel: { type: 'string', value: '<slug>', help: 'the posts of this channel (default: general)' },
    objective: { type: 'string', value: '<objective>', help: 'the thread of this objective' },
    limit: {
      type: 'string',
      value: '<n>',
      help: `number of messages, 1 to ${pageMax} (default: ${pageDefault})`,
    },
    'oldest-first': { type: 'boolean', help: 'show the oldest message first' },
    ids: { type: 'boolean', help: 'begin each message with its id, which muster push --in-reply-to takes' },
    ...clientOptions,
  },
  async run({ values, env }) {
    const { with: other, channel, objective, limit } = values;
    if ([other, channel, objective].filter((scope) => scope !== undefined).length > 1)
      throw new UsageError('pass only one of --with, --channel, and --objective');
    if (objective !== undefined) refuseUnfit(ObjectiveParams, { id: objective }, { id: 'objective' });
    if (limit !== undefined && !(/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= pageMax))
      throw new UsageError(`--limit must be a number from 1 to ${pageMax}`);
    const ofText = (['oldest-first', 'ids'] as const).find((option) => values.json && values[option]);
    if (ofText !== undefined) throw new UsageError(`--${ofText} does not apply to --json`);
    const { client } = await connectToBroker(values, env);
    const channelId = channel === undefined ? undefined : await channelIdOf(client, channel);
    const history = await client.call('history', {
      query: { with: other, channel: channelId, objective, limit },
    });
    if (values.json) {
      printJson(history);
      return 0;
    }
    const messages = values['oldest-first'] ? history.messages.toReversed() : history.messages;
    const slug = channel?.replace(/^#/, '');
    for (const message of messages)
      print(
        `${values.ids ? `${message.id} ` : ''}${colored(levelStyle(message.level), messageLine(message, slug))}`,
      );
    if (messages.length === 0) remark('no messages yet; "muster push" sends one');
    return 0;
  },
});
