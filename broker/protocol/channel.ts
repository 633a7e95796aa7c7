/** Channels (specification/channels.md#channel). */
import { z } from 'zod';
import { ChannelId, MemberName, queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';

/**
 * 1 to 32 lowercase letters, digits, and dashes; it starts and ends with a letter or a digit and has no two
 * dashes in a row.
 */
export const ChannelSlug = z
  .string()
  .max(limits.channelSlug, `must be at most ${limits.channelSlug} characters`)
  .regex(
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    'must consist of lowercase letters, digits, and single hyphens, and start and end with a letter or digit',
  )
  .brand<'ChannelSlug'>()
  .meta({ id: 'ChannelSlug', minLength: 1, examples: ['release-42'] });
export type ChannelSlug = z.infer<typeof ChannelSlug>;

export const generalSlug = 'general' as ChannelSlug;

export const ChannelRole = z.enum(['admin', 'member']).meta({ id: 'ChannelRole' });
export type ChannelRole = z.infer<typeof ChannelRole>;

export const Channel = z
  .object({
    id: ChannelId,
    slug: z.string(),
    createdBy: z.string(),
    createdAt: Timestamp,
    archivedAt: Timestamp.nullable(),
    /** Absent unless the channel is private. */
    private: z.literal(true).optional(),
  })
  .meta({ id: 'Channel' });
export type Channel = z.infer<typeof Channel>;

/** `joined` and `myRole` are the viewer's. */
export const ChannelSummary = Channel.extend({
  joined: z.boolean(),
  myRole: ChannelRole.nullable(),
  memberCount: z.int().nonnegative(),
}).meta({ id: 'ChannelSummary' });
export type ChannelSummary = z.infer<typeof ChannelSummary>;

export const ChannelMember = z
  .object({ member: z.string(), role: ChannelRole, joinedAt: Timestamp })
  .meta({ id: 'ChannelMember' });
export type ChannelMember = z.infer<typeof ChannelMember>;

export const ChannelList = z.object({ channels: z.array(ChannelSummary) }).meta({ id: 'ChannelList' });
export type ChannelList = z.infer<typeof ChannelList>;

/**
 * Only the channels that follow `after` in the list, which has `general` first and then the slugs in order, and at
 * most `limit` of them. `after` need not be a channel.
 */
export const ChannelPageQuery = z.object({
  limit: queryInteger(1, limits.listPageMax).optional(),
  after: ChannelSlug.optional(),
});
export type ChannelPageQuery = z.infer<typeof ChannelPageQuery>;

/** Members, admins first. */
export const ChannelView = z
  .object({ channel: ChannelSummary, members: z.array(ChannelMember) })
  .meta({ id: 'ChannelView' });
export type ChannelView = z.infer<typeof ChannelView>;

export const NewChannel = z
  .object({ slug: ChannelSlug, private: z.boolean().optional() })
  .meta({ id: 'NewChannel' });
export type NewChannel = z.infer<typeof NewChannel>;

export const ChannelChange = z
  .object({ slug: ChannelSlug.optional(), private: z.boolean().optional() })
  .refine((change) => change.slug !== undefined || change.private !== undefined, {
    message: 'must have slug or private',
  })
  .meta({ id: 'ChannelChange' });
export type ChannelChange = z.infer<typeof ChannelChange>;

/** Without `role`, a new member becomes `member`, and an existing one keeps its role. */
export const ChannelJoin = z
  .object({ member: MemberName, role: ChannelRole.nullish() })
  .meta({ id: 'ChannelJoin' });
export type ChannelJoin = z.infer<typeof ChannelJoin>;

export const ChannelParams = z.object({ slug: ChannelSlug });
export const ChannelMemberParams = z.object({ slug: ChannelSlug, name: MemberName });
