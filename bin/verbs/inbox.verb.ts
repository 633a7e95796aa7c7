/** `muster inbox`: what needs the member (specification/attention.md#inbox). */
import { createHash } from 'node:crypto';
import { readChannelSlugs } from '#client/channel-slugs.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { InboxItem, InboxPlace } from '#protocol/inbox.ts';
import { laters, latersOf } from '#protocol/laters.ts';
import { parseScope } from '#protocol/scope.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { CommandFailure } from '../command-failure.ts';
import { localTime } from '../message-line.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

/** A key is too long to be typed. */
const idOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 6);

export const verb = defineActions({
  name: 'inbox',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    ...clientOptions,
    json: { type: 'boolean', help: 'print the items as JSON, each with the id that the other actions take' },
  },
  fallback: 'list',
  actions: {
    list: {
      summary: 'list what needs you, the most urgent first; the action if none is named',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        const inbox = await client.call('inbox', {});
        if (values.json) {
          printJson({ items: inbox.items.map((item) => ({ id: idOf(item.key), ...item })) });
          return 0;
        }
        const nameOf = await scopeNames(client, inbox.items);
        printTable(
          ['ID', 'SINCE', 'TITLE', 'TEXT', 'NEXT'],
          inbox.items.map((item) => rowOf(item, nameOf)),
          'nothing needs you',
        );
        return 0;
      },
    },
    done: {
      summary: 'take an item out of the list until something new happens',
      words: ['id'],
      options: [],
      async run({ values, env, words: [id = ''] }) {
        const { client } = await connectToBroker(values, env);
        const { key, title } = await itemOf(client, id);
        await client.call('markAttention', { body: { item: key, until: null } });
        if (!values.json) print(`done: ${oneLine(title)}; "muster inbox back ${id}" brings it back`);
        return 0;
      },
    },
    later: {
      summary: 'put an item off for an hour, until tomorrow morning, or until Monday',
      words: ['id', 'when?'],
      options: [],
      example: 'muster inbox later 3f9a1c tomorrow',
      async run({ values, env, words: [id = '', when = 'hour'] }) {
        const later = laters.find((one) => one.id === when);
        if (later === undefined)
          throw new UsageError(`"${when}" is none of ${laters.map((one) => one.id).join(', ')}`);
        const { client } = await connectToBroker(values, env);
        const item = await itemOf(client, id);
        const { key, title } = item;
        const now = Date.now();
        if (!latersOf(item, now).includes(later))
          throw new CommandFailure(
            `"${id}" cannot be put off for so long, because its code expires at ${localTime(item.until ?? now)}`,
          );
        const until = later.at(now);
        await client.call('markAttention', { body: { item: key, until } });
        if (!values.json) print(`put off until ${localTime(until)}: ${oneLine(title)}`);
        return 0;
      },
    },
    back: {
      summary: 'bring back an item that was done or put off',
      words: ['id'],
      options: [],
      async run({ values, env, words: [id = ''] }) {
        const { client } = await connectToBroker(values, env);
        const { marks } = await client.call('attention', {});
        const mark = marks.find(({ item }) => idOf(item) === id);
        if (mark === undefined) throw new CommandFailure(`no item "${id}" was done or put off`);
        await client.call('unmarkAttention', { query: { item: mark.item } });
        if (!values.json) print(`brought back ${oneLine(id)}`);
        return 0;
      },
    },
  },
});

async function itemOf(client: BrokerClient, id: string): Promise<InboxItem> {
  const { items } = await client.call('inbox', {});
  const item = items.find(({ key }) => idOf(key) === id);
  if (item === undefined)
    throw new CommandFailure(`no item "${oneLine(id)}" needs you; "muster inbox" lists those that do`);
  return item;
}

type NameOf = (scope: string) => string;

async function scopeNames(client: BrokerClient, items: readonly InboxItem[]): Promise<NameOf> {
  const hasChannel = items.some(({ scope }) => scope !== null && parseScope(scope)?.kind === 'channel');
  const slugs = hasChannel ? await readChannelSlugs(client) : new Map<string, string>();
  return (name) => {
    const scope = parseScope(name);
    switch (scope?.kind) {
      case 'general':
        return '#general';
      case 'channel':
        return `#${slugs.get(scope.channelId) ?? scope.channelId}`;
      case 'objective':
        return `the objective ${scope.objectiveId}`;
      case 'direct':
        return `the messages with ${scope.member}`;
      case undefined:
        return name;
    }
  };
}

function rowOf({ key, title, scope, detail, at, until, place }: InboxItem, nameOf: NameOf): string[] {
  return [
    idOf(key),
    at === null ? '' : localTime(at),
    oneLine(scope === null ? title : `${title} ${nameOf(scope)}`),
    oneLine(until === undefined ? detail : `${detail} until ${localTime(until)}`),
    oneLine(`muster ${commandFor(place)}`),
  ];
}

/** The command with which a person goes on. */
function commandFor(place: InboxPlace): string {
  switch (place.kind) {
    case 'conversation': {
      const scope = parseScope(place.scope);
      if (scope?.kind === 'direct') return `recent --with ${scope.member}`;
      if (scope?.kind === 'channel') return `recent --channel ${scope.channelId}`;
      return scope?.kind === 'objective' ? `objectives view ${scope.objectiveId}` : 'recent';
    }
    case 'objective':
      return `objectives view ${place.id}`;
    case 'member':
      return 'roster';
    case 'device':
      return `enroll approve ${place.code}`;
    case 'held':
      return `held release ${place.id}`;
    case 'settings':
      return 'doctor';
  }
}
