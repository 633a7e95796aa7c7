/** Channels: listing and posting. */
import { z } from 'zod';
import type { ChannelSummary } from '#protocol/channel.ts';
import { channelPages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';
import { postInput } from './chat.tools.ts';
import { maxListed, restNote } from './long-lists.ts';
import { post } from './post.ts';
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
    describe: () => 'List channels, joined ones first.',
    input: z.object({}),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run(_, { broker }) {
      const channels = await allOf(channelPages(broker));
      const joinedFirst = channels.toSorted((a, b) => Number(b.joined) - Number(a.joined));
      return {
        text: ['channels:', ...joinedFirst.slice(0, maxListed).map(channelLine)].join('\n'),
        notes: channels.length > maxListed ? [restNote('svc channels list')] : [],
      };
    },
  }),
  defineTool({
    name: 'channels_post',
    describe: () => 'Post in a channel that you joined.',
    input: z.object({ channel: required('slug'), ...postInput }),
    posts: true,
    readOnly: false,
    destructive: false,
    idempotent: false,
    async run({ channel: slug, ...given }, context) {
      const { channel } = await context.broker.call('channel', { params: { slug } });
      if (!channel.joined) throw new ToolError(`channels_post: you are not a member of #${slug}`);
      const place = { kind: 'channel', channelId: channel.id } as const;
      return post(context, place, given, (counts) => `posted to #${slug}: ${counts}`);
    },
  }),
];
