/** The views of channels: the list, and the members of one channel. */
import type { Answer } from './day-broker.ts';
import type { Channel } from './day-state.ts';
import { okOr, type View, type ViewContext } from './view.ts';

const roleIn = ({ members }: Channel, name: string) => members.find((one) => one.name === name)?.role ?? null;

export function createChannelViews({ day, everyone, get }: ViewContext) {
  const channelsOf = (name: string): View => ({
    title: `/channels for ${name}`,
    expected: [
      { slug: 'general', isArchived: false, myRole: 'member', memberCount: everyone.length },
      ...[...day.channels.values()]
        .sort((a, b) => (a.slug < b.slug ? -1 : 1))
        .map((channel) => ({
          slug: channel.slug,
          isArchived: channel.isArchived,
          myRole: roleIn(channel, name),
          memberCount: channel.members.length,
        })),
    ],
    actual: async () =>
      okOr(await get(name, '/channels'), ({ channels }) =>
        channels.map(({ slug, archivedAt, myRole, memberCount }: Answer['body']) => ({
          slug,
          isArchived: archivedAt !== null,
          myRole,
          memberCount,
        })),
      ),
  });

  const channelOf = (name: string, channel: Channel): View => ({
    title: `#${channel.slug} for ${name}`,
    expected: ['admin', 'member'].flatMap((role) =>
      channel.members.filter((one) => one.role === role).map((one) => `${one.name} ${role}`),
    ),
    actual: async () =>
      okOr(await get(name, `/channels/${channel.slug}`), ({ members }) =>
        members.map(({ member, role }: Answer['body']) => `${member} ${role}`),
      ),
  });

  return { channelsOf, channelOf };
}
