/**
 * Channels and their members (specification/channels.md#channel). `general` is answered from the
 * configuration, because everybody is in it.
 */
import type {
  Channel,
  ChannelChange,
  ChannelJoin,
  ChannelList,
  ChannelMember,
  ChannelPageQuery,
  ChannelSlug,
  ChannelSummary,
  ChannelView,
  NewChannel,
} from '#protocol/channel.ts';
import { generalSlug } from '#protocol/channel.ts';
import { refuse } from '#protocol/errors.ts';
import { type ChannelId, generalChannelId, type MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import { pageRange } from './channel-pages.rules.ts';
import type { LeftChannel } from './channel-rows.sqlite.ts';
import type { ChannelNews } from './channels.rules.ts';
import type { Changed, ChannelUnits, SeenChannel } from './channels.sqlite.ts';

export interface Channels {
  /** `general` first, then by slug, archived ones included: all, or a page. */
  list(viewer: Actor, page: ChannelPageQuery): Promise<ChannelList>;
  /**
   * @throws BrokerError conflict for a taken slug, and for more than limits.channelsPerMember of one member.
   */
  create(by: Actor, channel: NewChannel): Promise<Channel>;
  /** @throws BrokerError not_found. */
  view(viewer: Actor, slug: ChannelSlug): Promise<ChannelView>;
  /** @throws BrokerError not_found, forbidden, conflict, gone. */
  change(by: Actor, slug: ChannelSlug, to: ChannelChange): Promise<Channel>;
  /** @throws BrokerError not_found, forbidden, conflict. */
  archive(by: Actor, slug: ChannelSlug): Promise<void>;
  /** Adds a member or changes a role. @throws BrokerError not_found, forbidden, conflict, gone. */
  join(by: Actor, slug: ChannelSlug, joining: ChannelJoin): Promise<void>;
  /** @throws BrokerError not_found, forbidden, conflict. */
  leave(by: Actor, slug: ChannelSlug, member: MemberName): Promise<void>;
  /** Tells of the channels that a removed member was in. */
  announceLeft(left: readonly LeftChannel[]): void;
  /** Brings the rows in line with the configuration, at start and when the first configuration is written. */
  load(): Promise<void>;
}

export interface ChannelsDeps {
  units: ChannelUnits;
  members: Pick<Members, 'find' | 'readerOf' | 'teammates'>;
  audit: Pick<Audit, 'entry'>;
  clock: Clock;
  mintId: () => ChannelId;
  /** When `general` was created, which is the store's first start, epoch ms. */
  since: number;
  /** Called after the commit of every change of a channel or its members; must return at once. */
  onChanged?: (id: ChannelId, news: ChannelNews) => void;
}

export function createChannels(deps: ChannelsDeps): Channels {
  const { units, members, audit, clock, mintId, since, onChanged } = deps;
  const summaryOf = (channel: SeenChannel): ChannelSummary => ({
    ...channel,
    joined: channel.myRole !== null,
  });

  const general = (): ChannelSummary => ({
    id: generalChannelId,
    slug: generalSlug,
    createdBy: 'system',
    createdAt: since,
    archivedAt: null,
    joined: true,
    myRole: 'member',
    memberCount: members.teammates().length,
  });

  async function generalMembers(): Promise<ChannelMember[]> {
    const rows = await units.generalMembers();
    const joinedAtByMember = new Map(rows.map(({ member, joinedAt }) => [member, joinedAt]));
    return members
      .teammates()
      .map(({ name }) => ({
        member: name,
        role: 'member' as const,
        joinedAt: joinedAtByMember.get(name) ?? since,
      }))
      .sort((a, b) => a.joinedAt - b.joinedAt);
  }

  async function told(changing: Promise<Changed>): Promise<Channel> {
    const { channel, news } = await changing;
    if (news !== null) onChanged?.(channel.id, news);
    return channel;
  }

  /**
   * Returns the caller as it is now, because a body may take longer than a permission, or the membership,
   * lasts. It is called right before the unit, so that a member who is removed in the meantime is taken out
   * afterwards: the removal's own unit comes later.
   */
  function present({ name }: Actor) {
    const member = members.find(name) ?? refuse('no_longer_a_member');
    return { name, permissions: [...member.permissions] };
  }

  return {
    async list(viewer, page) {
      const { hasGeneral, rows: range } = pageRange(page);
      const rows =
        range.limit === 0 ? [] : await units.channelsFor({ viewer: members.readerOf(viewer.name), ...range });
      return { channels: [...(hasGeneral ? [general()] : []), ...rows.map(summaryOf)] };
    },
    async create(by, { slug, private: isPrivate }) {
      const { name, permissions } = present(by);
      const maxChannels = permissions.includes('members.manage') ? null : limits.channelsPerMember;
      const channel: Channel = {
        id: mintId(),
        slug,
        createdBy: name,
        createdAt: clock(),
        archivedAt: null,
        ...(isPrivate === true && { private: true }),
      };
      return told(units.createChannel({ channel, maxChannels }).then((news) => ({ channel, news })));
    },
    async view(viewer, slug) {
      if (slug === generalSlug) return { channel: general(), members: await generalMembers() };
      const { channel, members: inside } = await units.channelFor({
        slug,
        viewer: members.readerOf(viewer.name),
      });
      return { channel: summaryOf(channel), members: inside };
    },
    async change(by, slug, to) {
      const entry = audit.entry('channel_changed', {});
      return told(units.changeChannel({ slug, by: present(by), to, audit: entry }));
    },
    async archive(by, slug) {
      const entry = audit.entry('channel_changed', {});
      await told(units.archiveChannel({ slug, by: present(by), at: clock(), audit: entry }));
    },
    async join(by, slug, { member, role }) {
      const isKnown = members.find(member) !== undefined;
      const entry = audit.entry('channel_members_changed', {});
      const joining = { member, role: role ?? undefined, isKnown, at: clock(), audit: entry };
      await told(units.joinChannel({ slug, by: present(by), ...joining }));
    },
    async leave(by, slug, member) {
      const entry = audit.entry('channel_members_changed', {});
      await told(units.leaveChannel({ slug, by: present(by), member, audit: entry }));
    },
    announceLeft(left) {
      for (const { id, news } of left) onChanged?.(id, news);
    },
    async load() {
      const team = members.teammates().map(({ name }) => name);
      // Without a configuration, members cannot be told from strangers.
      if (team.length > 0) await units.recordGeneralMembers({ members: team, at: clock() });
    },
  };
}
