/** `muster sessions`: where a member is logged in to the console, and signing out (specification/authentication.md#sessions). */
import type { SessionInfo } from '#protocol/session.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { localTime } from '../message-line.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

export const verb = defineActions({
  name: 'sessions',
  common: ['url', 'token', 'insecure-http', 'json', 'member'],
  options: {
    member: { type: 'string', value: '<member>', help: 'another member; requires members.manage' },
    everywhere: { type: 'boolean', help: 'end every session of the member' },
    ...clientOptions,
  },
  actions: {
    list: {
      summary: 'list open sessions, most recently used first',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('sessions', { query: memberIn(values) });
        if (values.json) printJson(reply);
        else
          printTable(
            ['SESSION', 'DEVICE', 'ADDRESS', 'CREATED', 'LAST USED', 'BOUND'],
            reply.sessions.map(rowOf),
            'no session is open; "muster login --console" opens one',
          );
        return 0;
      },
    },
    'sign-out': {
      summary: 'end one session, or all of them',
      words: ['id?'],
      options: ['everywhere'],
      async run({ values, env, words: [id] }) {
        if ((id === undefined) !== (values.everywhere ?? false))
          throw new UsageError('name a session from "muster sessions list", or pass --everywhere');
        const { client } = await connectToBroker(values, env);
        const query = memberIn(values);
        if (id === undefined) await client.call('endSessions', { query });
        else await client.call('endSession', { params: { id }, query });
        if (!values.json) print(id === undefined ? 'ended every session' : `ended ${oneLine(id)}`);
        return 0;
      },
    },
  },
});

const memberIn = ({ member }: { member?: string }): { member?: string } =>
  member === undefined ? {} : { member };

const rowOf = ({ id, device, address, createdAt, lastUsedAt, bound }: SessionInfo): string[] => [
  id,
  oneLine(device),
  oneLine(address),
  localTime(createdAt),
  localTime(lastUsedAt),
  bound ? 'yes' : 'no',
];
