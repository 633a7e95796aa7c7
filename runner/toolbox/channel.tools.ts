/** Channels: listing and posting. */
import { z } from 'zod';
import type { ChannelSummary } from '#protocol/channel.ts';
import { formatScope } from '#protocol/scope.ts';
import { postInput, sentText } from './chat.tools.ts';
import { defineTool, type Tool, ToolError } from './tool.ts';
import { required } from './tool-input.ts';

function channelLine({ slug, myRole, memberCount, archivedAt }: ChannelSummary): string {
  const members = `${memberCount} ${memberCount === 1 ? 'member' : 'members'}`;
  const archived = archivedAt === null ? '' : ', archived';
  return `- #${slug} (${myRole ?? 'not joined'}, ${members}${archived})`;
}

export const channelTools: readonly Tool[] = [
  defineTool({
    name: 'channels_list',
    title: 'List channels',
    describe: () => 'List the team’s channels: first those that you joined, then the others.',
    input: z.object({}),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run(_, { broker }) {
      const { channels } = await broker.call('channels', {});
      const joined = channels.filter((channel) => channel.joined);
      const others = channels.filter((channel) => !channel.joined);
      return ['channels:', ...[...joined, ...others].map(channelLine)].join('\n');
    },
  }),
  defineTool({
    name: 'channels_post',
    title: 'Post in a channel',
    describe: () => 'Post a message in a channel that you joined.',
    input: z.object({ channel: required('the slug of the channel'), ...postInput }),
    readOnly: false,
    destructive: false,
    idempotent: false,
    async run({ channel: slug, body, title, level, attachments }, { broker }) {
      const { channel } = await broker.call('channel', { params: { slug } });
      if (!channel.joined) throw new ToolError(`channels_post: you are not a member of #${slug}`);
      const attached = await broker.resolveAttachments(attachments);
      const result = await broker.call('push', {
        body: {
          body,
          title,
          level,
          attachments: attached,
          data: { thread: formatScope({ kind: 'channel', channelId: channel.id }) },
        },
      });
      return `posted to #${slug}: ${sentText(result)}`;
    },
  }),
];
