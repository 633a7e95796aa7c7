/** `muster channels`: channels and their members (specification/channels.md). */
import type { ChannelSummary } from '#protocol/channel.ts';
import { ChannelRole } from '#protocol/channel.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { channelPages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';
import { formatScope } from '#protocol/scope.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { slugOf } from '../channel-name.ts';
import { limitOf, listLimit } from '../list-limit.ts';
import { localTime } from '../message-line.ts';
import { deliver, deliveryLine, messageOptions, readOutgoing } from '../outgoing-message.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

export const verb = defineActions({
  name: 'channels',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    role: { type: 'string', value: '<role>', help: 'role in the channel: admin or member' },
    ...listLimit,
    private: { type: 'boolean', help: 'only members whom an admin adds see the channel' },
    public: { type: 'boolean', help: 'everyone sees the channel and can join it' },
    yes: { type: 'boolean', help: 'confirm the action' },
    ...messageOptions,
    ...clientOptions,
  },
  actions: {
    list: {
      summary: 'list every channel, those that you joined first',
      words: [],
      options: ['limit'],
      async run({ values, env }) {
        const max = limitOf(values.limit);
        const { client } = await connectToBroker(values, env);
        const channels = await allOf(channelPages(client));
        const joinedFirst = channels.toSorted((a, b) => Number(b.joined) - Number(a.joined));
        const chosen = joinedFirst.slice(0, max);
        if (values.json) printJson({ channels: max === undefined ? channels : chosen });
        else
          printTable(
            ['CHANNEL', 'YOU', 'MEMBERS', 'PRIVATE', 'ARCHIVED'],
            chosen.map(channelRow),
            'no channels yet; "muster channels create <slug>" creates one',
          );
        return 0;
      },
    },
    view: {
      summary: 'show a channel and its members, admins first',
      words: ['slug'],
      options: [],
      async run({ values, env, words: [written = ''] }) {
        const slug = slugOf(written);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('channel', { params: { slug } });
        if (values.json) {
          printJson(reply);
          return 0;
        }
        const { id, createdBy, createdAt, archivedAt } = reply.channel;
        print(
          `#${oneLine(slug)} (${oneLine(id)}), created by ${oneLine(createdBy)} on ${localTime(createdAt)}`,
        );
        if (reply.channel.private) print('private: only members whom an admin adds see it');
        if (archivedAt !== null) print(`archived on ${localTime(archivedAt)}`);
        printTable(
          ['MEMBER', 'ROLE', 'JOINED'],
          reply.members.map(({ member, role, joinedAt }) => [member, role, localTime(joinedAt)]),
        );
        return 0;
      },
    },
    create: {
      summary: 'create a channel; you become its admin',
      words: ['new-slug'],
      options: ['private'],
      async run({ values, env, words: [written = ''] }) {
        const slug = slugOf(written);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('createChannel', {
          body: { slug, ...(values.private && { private: true }) },
        });
        values.json ? printJson(reply) : print(`created #${oneLine(reply.slug)} (${oneLine(reply.id)})`);
        return 0;
      },
    },
    rename: {
      summary: 'change the slug of a channel; everything else stays the same',
      words: ['slug', 'new-slug'],
      options: [],
      async run({ values, env, words: [written = '', wanted = ''] }) {
        const slug = slugOf(written);
        const to = slugOf(wanted);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('renameChannel', { params: { slug }, body: { slug: to } });
        values.json ? printJson(reply) : print(`renamed #${slug} to #${oneLine(reply.slug)}`);
        return 0;
      },
    },
    set: {
      summary: 'make a channel private or public; its members and its history stay the same',
      words: ['slug'],
      options: ['private', 'public', 'yes'],
      example: 'muster channels set release --private',
      async run({ values, env, words: [written = ''] }) {
        const slug = slugOf(written);
        const isPrivate = values.private === true;
        if (isPrivate === (values.public === true))
          throw new UsageError('channels set needs either --private or --public');
        if (!isPrivate && !values.yes)
          throw new UsageError(
            `everyone can join #${slug} then and read its whole history. Repeat the command with --yes to confirm.`,
          );
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('renameChannel', { params: { slug }, body: { private: isPrivate } });
        values.json ? printJson(reply) : print(`#${slug} is ${isPrivate ? 'private' : 'public'}`);
        return 0;
      },
    },
    archive: {
      summary: 'archive a channel permanently; its history stays readable, and its slug stays taken',
      words: ['slug'],
      options: ['yes'],
      async run({ values, env, words: [written = ''] }) {
        const slug = slugOf(written);
        if (!values.yes)
          throw new UsageError(
            `archiving #${slug} is permanent, and nobody can post in it afterwards. Repeat the command with --yes to confirm.`,
          );
        const { client } = await connectToBroker(values, env);
        await client.call('archiveChannel', { params: { slug } });
        if (!values.json) print(`archived #${slug}`);
        return 0;
      },
    },
    join: {
      summary: 'join a channel',
      words: ['slug'],
      options: [],
      async run({ values, env, words: [written = ''] }) {
        const slug = slugOf(written);
        const { client } = await connectToBroker(values, env);
        await client.call('joinChannel', { params: { slug }, body: { member: await ownName(client) } });
        if (!values.json) print(`joined #${slug}`);
        return 0;
      },
    },
    leave: {
      summary: 'leave a channel; you no longer receive its messages',
      words: ['slug'],
      options: [],
      async run({ values, env, words: [written = ''] }) {
        const slug = slugOf(written);
        const { client } = await connectToBroker(values, env);
        await client.call('leaveChannel', { params: { slug, name: await ownName(client) } });
        if (!values.json) print(`left #${slug}`);
        return 0;
      },
    },
    add: {
      summary: 'add a member to a channel, or change the member’s role in it',
      words: ['slug', 'member'],
      options: ['role'],
      example: 'muster channels add release ben --role admin',
      async run({ values, env, words: [written = '', member = ''] }) {
        const slug = slugOf(written);
        const role = roleOf(values.role);
        const { client } = await connectToBroker(values, env);
        await client.call('joinChannel', {
          params: { slug },
          body: { member, ...(role !== undefined && { role }) },
        });
        if (!values.json)
          print(`${oneLine(member)} is in #${slug}${role === undefined ? '' : ` as ${role}`}`);
        return 0;
      },
    },
    remove: {
      summary: 'remove a member from a channel',
      words: ['slug', 'member'],
      options: [],
      async run({ values, env, words: [written = '', name = ''] }) {
        const slug = slugOf(written);
        const { client } = await connectToBroker(values, env);
        await client.call('leaveChannel', { params: { slug, name } });
        if (!values.json) print(`${oneLine(name)} is no longer in #${slug}`);
        return 0;
      },
    },
    post: {
      summary: 'post a message in a channel',
      words: ['slug', 'text...'],
      options: ['title', 'level', 'attach', 'stdin', 'idempotency-key'],
      example: 'muster channels post release "The build is green."',
      async run({ values, env, words: [written = '', ...words] }) {
        const slug = slugOf(written);
        const outgoing = await readOutgoing(words, values, `post ${slug}`);
        const connection = await connectToBroker(values, env);
        const { channel } = await connection.client.call('channel', { params: { slug } });
        const result = await deliver(connection, outgoing, {
          data: { thread: formatScope({ kind: 'channel', channelId: channel.id }) },
        });
        values.json ? printJson(result) : print(deliveryLine(result, slug));
        return 0;
      },
    },
  },
});

const ownName = async (client: BrokerClient): Promise<string> => (await client.call('session', {})).member;

function roleOf(role: string | undefined): ChannelRole | undefined {
  if (role === undefined) return undefined;
  const checked = ChannelRole.safeParse(role);
  if (!checked.success) throw new UsageError('--role must be admin or member');
  return checked.data;
}

const channelRow = ({
  slug,
  myRole,
  memberCount,
  archivedAt,
  private: isPrivate,
}: ChannelSummary): string[] => [
  `#${slug}`,
  myRole ?? '',
  String(memberCount),
  isPrivate ? 'private' : '',
  archivedAt === null ? '' : localTime(archivedAt),
];
