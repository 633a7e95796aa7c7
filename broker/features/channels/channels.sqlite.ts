/**
 * The units of channels. What is allowed is decided inside the transaction, on the rows as they are then
 * (specification/channels.md#membership).
 */
import type Database from 'better-sqlite3';
import type { Leaf } from '#protocol/access.ts';
import type { Channel, ChannelMember, ChannelRole } from '#protocol/channel.ts';
import { refuse } from '#protocol/errors.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { channelRows, type ViewedRow } from './channel-rows.sqlite.ts';
import {
  assertArchive,
  assertLeave,
  assertRename,
  type Caller,
  type ChannelState,
  decideJoin,
} from './channels.rules.ts';
import { type GeneralMember, generalRows } from './general-rows.sqlite.ts';

const generalSlug = 'general';
const general: ChannelState = { slug: generalSlug, isGeneral: true, isArchived: false };

/** What every change names: the channel by its slug, and the caller. */
export interface Change {
  slug: string;
  by: { name: string; permissions: readonly Leaf[] };
}

/** `changed` is false if it was already so. */
export interface Changed {
  channel: Channel;
  changed: boolean;
}

export function channelUnits(db: Database.Database) {
  const rows = channelRows(db);
  const generals = generalRows(db);

  const known = (slug: string, viewer: string): ViewedRow =>
    rows.bySlug(slug, viewer) ?? refuse('unknown_channel_slug', { slug });

  const channelOf = ({ id, slug, createdBy, createdAt, archivedAt }: ViewedRow): Channel => ({
    id,
    slug,
    createdBy,
    createdAt,
    archivedAt,
  });

  const refuseTaken = (): never => refuse('channel_slug_taken');

  /** Applies a rule to a change of a channel; `general` refuses every change. */
  function judged<Decision>(
    { slug, by }: Change,
    rule: (channel: ChannelState, caller: Caller, id: string | null) => Decision,
  ): { row: ViewedRow; decision: Decision } {
    if (slug === generalSlug) {
      rule(general, { ...by, role: 'member' }, null);
      return refuse('general_is_fixed', { act: 'changed' });
    }
    const row = known(slug, by.name);
    const state: ChannelState = { slug, isGeneral: false, isArchived: row.archivedAt !== null };
    return { row, decision: rule(state, { ...by, role: row.myRole }, row.id) };
  }

  return {
    reads: {
      /** Those with a slug after `after`, by slug; `limit`: null for all. */
      channelsFor: (input: { viewer: string; after: string; limit: number | null }): ViewedRow[] =>
        rows.page(input.viewer, input.after, input.limit),
      /** @throws BrokerError not_found. */
      channelFor: (input: {
        slug: string;
        viewer: string;
      }): { channel: ViewedRow; members: ChannelMember[] } => {
        const channel = known(input.slug, input.viewer);
        return { channel, members: rows.membersOf(channel.id) };
      },
      generalMembers: (): GeneralMember[] => generals.all(),
    },
    writes: {
      /** The creator becomes its admin. `maxChannels`: how many it may have made, null for any. @throws BrokerError conflict for a taken slug, or too many. */
      createChannel: ({ channel, maxChannels }: { channel: Channel; maxChannels: number | null }): void => {
        const { id, slug, createdBy, createdAt } = channel;
        if (maxChannels !== null && rows.madeBy(createdBy) >= maxChannels)
          refuse('too_many_channels', { max: maxChannels });
        if (slug === generalSlug || rows.bySlug(slug, createdBy) !== undefined) refuseTaken();
        rows.insert(channel);
        rows.bringIn(id, createdBy, 'admin', createdAt);
      },
      renameChannel: (change: Change & { to: string }): Changed => {
        const { row } = judged(change, assertRename);
        const { to } = change;
        if (to === row.slug) return { channel: channelOf(row), changed: false };
        if (to === generalSlug || rows.bySlug(to, change.by.name) !== undefined) refuseTaken();
        rows.rename(row.id, to);
        return { channel: { ...channelOf(row), slug: to }, changed: true };
      },
      archiveChannel: (change: Change & { at: number }): Changed => {
        const { row } = judged(change, assertArchive);
        if (row.archivedAt !== null) return { channel: channelOf(row), changed: false };
        rows.archive(row.id, change.at);
        return { channel: { ...channelOf(row), archivedAt: change.at }, changed: true };
      },
      joinChannel: (
        change: Change & { member: string; role: ChannelRole | undefined; isKnown: boolean; at: number },
      ): Changed => {
        const { member, role, at } = change;
        const { row, decision } = judged(change, (channel, caller, id) =>
          decideJoin(channel, caller, {
            member,
            role,
            isKnown: change.isKnown,
            present: id === null ? 'member' : rows.roleOf(id, member),
            isOnlyAdmin: id !== null && !rows.hasOtherAdmin(id, member),
          }),
        );
        if (decision.change === 'join') rows.bringIn(row.id, member, decision.role, at);
        if (decision.change === 'role') rows.setRole(row.id, member, decision.role);
        return { channel: channelOf(row), changed: decision.change !== 'nothing' };
      },
      leaveChannel: (change: Change & { member: string }): Changed => {
        const { member } = change;
        const { row } = judged(change, (channel, caller, id) =>
          assertLeave(channel, caller, { member, present: id === null ? 'member' : rows.roleOf(id, member) }),
        );
        rows.letGo(row.id, member);
        return { channel: channelOf(row), changed: true };
      },
      /**
       * A member who was removed from the configuration by hand leaves every channel, and a member who was
       * added is in `general` from now on.
       */
      recordGeneralMembers: ({ members, at }: { members: string[]; at: number }): void => {
        const team = new Set(members);
        for (let name = rows.nextMember(''); name !== undefined; name = rows.nextMember(name))
          if (!team.has(name)) rows.forgetMember(name);
        for (const { member } of generals.all()) if (!team.has(member)) generals.letGo(member);
        for (const member of members) generals.bringIn(member, at);
      },
    },
  };
}
export type ChannelUnits = AsyncUnits<typeof channelUnits>;
