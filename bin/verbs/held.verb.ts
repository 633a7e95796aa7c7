/** `muster held`: posts of agents that wait for a person (specification/messages.md#held-posts). */
import { counted } from '#protocol/counted.ts';
import type { HeldPost } from '#protocol/held.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { localTime } from '../message-line.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { oneLine } from '../terminal-text.ts';

const maxShown = 60;

export const verb = defineActions({
  name: 'held',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: clientOptions,
  actions: {
    list: {
      summary: 'list held posts, oldest first; managers see everybody’s',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('heldPosts', {});
        if (values.json) printJson(reply);
        else
          printTable(
            ['ID', 'HELD', 'FROM', 'WHERE', 'WHY', 'TEXT'],
            reply.held.map(rowOf),
            'no post is held, so there is nothing to release or drop',
          );
        return 0;
      },
    },
    release: {
      summary: 'deliver a held post as a message',
      words: ['id'],
      options: [],
      async run({ values, env, words: [id = ''] }) {
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('releaseHeld', { params: { id } });
        if (values.json) printJson(reply);
        else print(`released: msg=${reply.message.id}`);
        return 0;
      },
    },
    drop: {
      summary: 'delete a held post without delivering it',
      words: ['id'],
      options: [],
      async run({ values, env, words: [id = ''] }) {
        const { client } = await connectToBroker(values, env);
        await client.call('dropHeld', { params: { id } });
        if (!values.json) print(`dropped ${oneLine(id)}`);
        return 0;
      },
    },
  },
});

function rowOf({ id, at, from, scope, reason, hops, title, excerpt }: HeldPost): string[] {
  const text = oneLine(title === null ? excerpt : `[${title}] ${excerpt}`);
  return [
    id,
    localTime(at),
    oneLine(from),
    oneLine(scope),
    reason === 'hops' ? `${counted(hops, 'post')} by agents in a row` : 'too fast',
    text.length > maxShown ? `${text.slice(0, maxShown)}…` : text,
  ];
}
