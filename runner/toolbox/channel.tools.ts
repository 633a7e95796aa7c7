/** Channels: listing and posting. */
import { z } from 'zod';
import type { ChannelSummary } from '#protocol/channel.ts';
import { channelPages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';
import { postInput } from './chat.tools.ts';
import { after, listedOf } from './long-lists.ts';
import { inLine } from './plain-text.rules.ts';
import { post } from './post.ts';
import { defineTool, type Tool, ToolError } from './tool.ts';
import { named } from './tool-input.ts';

function channelLine({ slug, myRole, memberCount, archivedAt, ...channel }: ChannelSummary): string {
  const members = `${memberCount} ${memberCount === 1 ? 'member' : 'members'}`;
  const archived = archivedAt === null ? '' : ', archived';
  const hidden = channel.private ? ', private' : '';
  return `- #${slug} (${myRole ?? 'not joined'}, ${members}${hidden}${archived})`;
}

/** The broker has no cursor in this order. @throws ToolError if there is no channel with this slug. */
function placeAfter(channels: readonly ChannelSummary[], written: string | undefined): number {
  if (written === undefined) return 0;
  const last = written.replace(/^#/, '');
  const place = channels.findIndex(({ slug }) => slug === last);
  if (place < 0) throw new ToolError(`channels_list: after: there is no channel #${inLine(last)}`);
  return place + 1;
}

export const channelTools: readonly Tool[] = [
  defineTool({
    name: 'channels_list',
    describe: () => 'List channels, joined ones first.',
    input: z.object({ after }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ after: last }, { broker, isSpecified }) {
      const channels = await allOf(channelPages(broker));
      const joinedFirst = channels.toSorted((a, b) => Number(b.joined) - Number(a.joined));
      const rest = joinedFirst.slice(placeAfter(joinedFirst, last));
      const { items, notes } = await listedOf([rest], {
        tool: 'channels_list',
        keyOf: ({ slug }) => slug,
        isSpecified,
      });
      return { text: ['channels:', ...items.map(channelLine)].join('\n'), notes };
    },
  }),
  defineTool({
    name: 'channels_post',
    describe: () => 'Post in a channel that you joined.',
    input: z.object({ channel: named('slug'), ...postInput }),
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
