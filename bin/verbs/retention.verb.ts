/** `muster retention`: removing what is old, and legal holds (specification/retention.md#on-the-command-line). */
import { setTimeout as pause } from 'node:timers/promises';
import { readChannelSlugs } from '#client/channel-slugs.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import type { RetentionPatch, RetentionState } from '#protocol/retention.ts';
import { channelScope, formatScope } from '#protocol/scope.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { channelIdOf } from '../channel-name.ts';
import { print, printJson } from '../output.ts';
import { changedRule, countOf, retentionLines } from '../retention-text.ts';
import { UsageError } from '../usage-error.ts';

const pollMs = 500;
const { auditDaysMin, auditRecordsMin } = limits.retention;

const ruleOptions = [
  'messages-days',
  'messages-size',
  'activity-days',
  'activity-size',
  'audit-days',
  'audit-records',
] as const;

export const verb = defineActions({
  name: 'retention',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    'messages-days': { type: 'string', value: '<n>', help: 'remove older messages' },
    'messages-size': {
      type: 'string',
      value: '<size>',
      help: 'remove the oldest messages beyond this size, such as 10GiB',
    },
    'activity-days': { type: 'string', value: '<n>', help: 'remove older activity' },
    'activity-size': { type: 'string', value: '<size>', help: 'remove the oldest activity beyond this size' },
    'audit-days': {
      type: 'string',
      value: '<n>',
      help: `remove older audit records, at least ${auditDaysMin} days`,
    },
    'audit-records': {
      type: 'string',
      value: '<n>',
      help: `remove the oldest audit records beyond this number, at least ${auditRecordsMin}`,
    },
    channel: { type: 'string', value: '<slug>', help: 'with --days: a rule of its own for one channel' },
    days: {
      type: 'string',
      value: '<n>',
      help: 'for --channel: a number, "forever", or "off" for the general rule',
    },
    reason: { type: 'string', value: '<text>', help: 'why it is held' },
    ...clientOptions,
  },
  actions: {
    get: {
      summary: 'show the rules, the holds, and the newest run',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        await show(client, await client.call('retention', {}), values.json);
        return 0;
      },
    },
    set: {
      summary: 'change rules; "off" turns one off',
      words: [],
      options: [...ruleOptions, 'channel', 'days'],
      example: 'muster retention set --messages-days 365 --activity-size 10GiB',
      async run({ values, env }) {
        if ((values.channel === undefined) !== (values.days === undefined))
          throw new UsageError('--channel and --days belong together');
        if (values.channel === undefined && ruleOptions.every((option) => values[option] === undefined))
          throw new UsageError('nothing to change. Pass --messages-days, for example.');
        const { client } = await connectToBroker(values, env);
        const { messages, activity, audit } = await client.call('retention', {});
        const body = {
          messages: changedRule(messages, {
            days: { option: '--messages-days', text: values['messages-days'] },
            maxBytes: { option: '--messages-size', text: values['messages-size'], isSize: true },
          }),
          activity: changedRule(activity, {
            days: { option: '--activity-days', text: values['activity-days'] },
            maxBytes: { option: '--activity-size', text: values['activity-size'], isSize: true },
          }),
          audit: changedRule(audit, {
            days: { option: '--audit-days', text: values['audit-days'] },
            maxRecords: { option: '--audit-records', text: values['audit-records'] },
          }),
          ...(values.channel !== undefined && {
            channels: { [await channelIdOf(client, values.channel)]: channelRule(values.days ?? '') },
          }),
        } satisfies RetentionPatch;
        await show(client, await client.call('updateRetention', { body }), values.json);
        return 0;
      },
    },
    hold: {
      summary:
        'keep general, #<channel>, obj:<id>, dm:<member>:<member>, or member:<name>, whatever the rules say',
      words: ['on'],
      options: ['reason'],
      example: 'muster retention hold "#release" --reason "Audit of 2026"',
      async run({ values, env, words: [on = ''] }) {
        if (values.reason === undefined) throw new UsageError('say why with --reason');
        const { client } = await connectToBroker(values, env);
        const hold = { on: await targetOf(client, on), reason: values.reason };
        await show(client, await client.call('updateRetention', { body: { hold } }), values.json);
        return 0;
      },
    },
    release: {
      summary: 'release a hold; the next run may remove what it kept',
      words: ['id'],
      options: [],
      async run({ values, env, words: [release = ''] }) {
        const { client } = await connectToBroker(values, env);
        await show(client, await client.call('updateRetention', { body: { release } }), values.json);
        return 0;
      },
    },
    run: {
      summary: 'remove what is old now, and wait until it is done',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        let state = await client.call('runRetention', {});
        while (state.run?.endedAt === null) {
          await pause(pollMs);
          state = await client.call('retention', {});
        }
        await show(client, state, values.json);
        return 0;
      },
    },
  },
});

function channelRule(text: string): { days: number | null } | null {
  if (text === 'off') return null;
  return { days: text === 'forever' ? null : countOf('--days', text) };
}

/** A channel may be named like `#release`, and a member like `@ben`. */
const targetOf = async (client: BrokerClient, on: string): Promise<string> =>
  on.startsWith('#') ? formatScope(channelScope(await channelIdOf(client, on))) : on.replaceAll(':@', ':');

async function show(client: BrokerClient, state: RetentionState, isJson: boolean | undefined): Promise<void> {
  if (isJson) return printJson(state);
  for (const line of retentionLines(state, await readChannelSlugs(client))) print(line);
}
