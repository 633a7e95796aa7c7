/**
 * The units of channels. They decide inside the transaction what is allowed, on the rows as they are then
 * (specification/channels.md#membership).
 */
import type Database from 'better-sqlite3';
import type { Leaf } from '#protocol/access.ts';
import type { AuditEntry } from '#protocol/audit.ts';
import type {
  Channel,
  ChannelChange,
  ChannelMember,
  ChannelRole,
  ChannelSummary,
} from '#protocol/channel.ts';
import { refuse } from '#protocol/errors.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { isKnownTo } from '../scopes/scope-access.rules.ts';
import { channelRows, type ViewedRow } from './channel-rows.sqlite.ts';
import {
  assertArchive,
  assertChange,
  assertLeave,
  type Caller,
  type ChannelNews,
  type ChannelState,
  decideJoin,
  newsOf,
} from './channels.rules.ts';
import { type GeneralMember, generalRows } from './general-rows.sqlite.ts';

const generalSlug = 'general';
const general: ChannelState = { slug: generalSlug, isGeneral: true, isArchived: false };

/** The part that all changes share: the channel, by its slug, and the caller. */
export interface Change {
  slug: string;
  by: { name: string; permissions: readonly Leaf[] };
}

export interface Changed {
  channel: Channel;
  /** Null if it was already so. */
  news: ChannelNews | null;
}

/** A channel as a viewer sees it. */
export type SeenChannel = Omit<ChannelSummary, 'joined'>;

export interface Viewer {
  name: string;
  isManager: boolean;
}

export function channelUnits(db: Database.Database) {
  const rows = channelRows(db);
  const generals = generalRows(db);

  const trail = auditTrail(db);

  const isKnown = (row: ViewedRow, { isManager }: Viewer): boolean =>
    isKnownTo({ isPrivate: row.private === 1 }, { isMember: row.myRole !== null, isManager });

  /** @throws BrokerError not_found, also for a private channel that does not exist for the viewer. */
  function known(slug: string, viewer: Viewer): ViewedRow {
    const row = rows.bySlug(slug, viewer.name);
    return row !== undefined && isKnown(row, viewer) ? row : refuse('unknown_channel_slug', { slug });
  }

  const channelOf = ({ id, slug, createdBy, createdAt, archivedAt, ...row }: ViewedRow): Channel => ({
    id,
    slug,
    createdBy,
    createdAt,
    archivedAt,
    ...(row.private === 1 && { private: true }),
  });

  /** Makes a change of the channel in `row`. Returns the channel as it is then, and who hears of it. */
  function changing(row: ViewedRow, write: () => void, after: Partial<ViewedRow> = {}): Changed {
    const now = { ...row, ...after };
    const population = (isPrivate: boolean) => ({
      isPrivate,
      members: isPrivate ? rows.namesOf(row.id) : [],
    });
    const before = population(row.private === 1);
    write();
    return { channel: channelOf(now), news: newsOf(before, population(now.private === 1)) };
  }

  const unchanged = (row: ViewedRow): Changed => ({ channel: channelOf(row), news: null });

  const seen = (row: ViewedRow): SeenChannel => ({
    ...channelOf(row),
    myRole: row.myRole,
    memberCount: row.memberCount,
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
    const row = known(slug, { name: by.name, isManager: by.permissions.includes('members.manage') });
    const state: ChannelState = { slug, isGeneral: false, isArchived: row.archivedAt !== null };
    return { row, decision: rule(state, { ...by, role: row.myRole }, row.id) };
  }

  /** Records a change of the members that the caller makes only as a manager. `role`: null for one who leaves. */
  function recordIfByRight(
    row: ViewedRow,
    { by, member, audit }: Change & { member: string; audit: AuditEntry },
    role: ChannelRole | null,
  ): void {
    const isOwnPlace = member === by.name && (role === null || (role === 'member' && row.private !== 1));
    if (row.myRole === 'admin' || isOwnPlace) return;
    const before = rows.roleOf(row.id, member);
    trail.append({ ...audit, subject: row.slug, before: { member, role: before }, after: { member, role } });
  }

  return {
    reads: {
      /** Those with a slug after `after`, by slug; `limit`: null for all. */
      channelsFor: (input: { viewer: Viewer; after: string; limit: number | null }): SeenChannel[] =>
        Iterator.from(rows.following(input.viewer.name, input.after))
          .filter((row) => isKnown(row, input.viewer))
          .take(input.limit ?? Number.POSITIVE_INFINITY)
          .map(seen)
          .toArray(),
      /** @throws BrokerError not_found. */
      channelFor: (input: {
        slug: string;
        viewer: Viewer;
      }): { channel: SeenChannel; members: ChannelMember[] } => {
        const row = known(input.slug, input.viewer);
        return { channel: seen(row), members: rows.membersOf(row.id) };
      },
      generalMembers: (): GeneralMember[] => generals.all(),
    },
    writes: {
      /** The creator becomes its admin. `maxChannels`: how many it may have made, null for any. @throws BrokerError conflict for a taken slug, or too many. */
      createChannel: ({
        channel,
        maxChannels,
      }: {
        channel: Channel;
        maxChannels: number | null;
      }): ChannelNews => {
        const { id, slug, createdBy, createdAt } = channel;
        if (maxChannels !== null && rows.madeBy(createdBy) >= maxChannels)
          refuse('too_many_channels', { max: maxChannels });
        if (slug === generalSlug || rows.bySlug(slug, createdBy) !== undefined) refuseTaken();
        rows.insert(channel);
        rows.bringIn(id, createdBy, 'admin', createdAt);
        const isPrivate = channel.private === true;
        return newsOf({ isPrivate, members: [] }, { isPrivate, members: [createdBy] });
      },
      changeChannel: (change: Change & { to: ChannelChange; audit: AuditEntry }): Changed => {
        const { to, by, audit } = change;
        const { row } = judged(change, (channel, caller) =>
          assertChange(channel, caller, to.slug !== undefined),
        );
        const before = { slug: row.slug, private: row.private === 1 };
        const after = { slug: to.slug ?? row.slug, private: to.private ?? before.private };
        const isRenamed = after.slug !== before.slug;
        const isRevealed = after.private !== before.private;
        if (!isRenamed && !isRevealed) return unchanged(row);
        if (isRenamed && (after.slug === generalSlug || rows.bySlug(after.slug, by.name) !== undefined))
          refuseTaken();
        const differing = ({ slug, private: isPrivate }: typeof before) => ({
          ...(isRenamed && { slug }),
          ...(isRevealed && { private: isPrivate }),
        });
        trail.append({ ...audit, subject: row.slug, before: differing(before), after: differing(after) });
        return changing(row, () => rows.change(row.id, after.slug, after.private), {
          slug: after.slug,
          private: after.private ? 1 : 0,
        });
      },
      archiveChannel: (change: Change & { at: number; audit: AuditEntry }): Changed => {
        const { row } = judged(change, assertArchive);
        if (row.archivedAt !== null) return unchanged(row);
        trail.append({
          ...change.audit,
          subject: row.slug,
          before: { archivedAt: null },
          after: { archivedAt: change.at },
        });
        return changing(row, () => rows.archive(row.id, change.at), { archivedAt: change.at });
      },
      joinChannel: (
        change: Change & {
          member: string;
          role: ChannelRole | undefined;
          isKnown: boolean;
          at: number;
          audit: AuditEntry;
        },
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
        if (decision.change === 'nothing') return unchanged(row);
        recordIfByRight(row, change, decision.role);
        return changing(row, () => {
          if (decision.change === 'join') rows.bringIn(row.id, member, decision.role, at);
          else rows.setRole(row.id, member, decision.role);
        });
      },
      leaveChannel: (change: Change & { member: string; audit: AuditEntry }): Changed => {
        const { member } = change;
        const { row } = judged(change, (channel, caller, id) =>
          assertLeave(channel, caller, { member, present: id === null ? 'member' : rows.roleOf(id, member) }),
        );
        recordIfByRight(row, change, null);
        return changing(row, () => rows.letGo(row.id, member));
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
