/**
 * Decides who may change a channel, and the result (specification/channels.md#operations). Pure. It refuses in this
 * order: forbidden, unknown member, then what the channel's state does not allow.
 */
import { isAllowed, type Leaf, type Relation } from '#protocol/access.ts';
import type { ChannelRole } from '#protocol/channel.ts';
import { channelRules, relationsToChannel } from '#protocol/channel-access.ts';
import { refuse } from '#protocol/errors.ts';

export interface ChannelState {
  slug: string;
  isGeneral: boolean;
  isArchived: boolean;
}

/** The members who hear of a change of a channel. */
export interface ChannelNews {
  /** Beside the managers. */
  told: 'everyone' | string[];
  /** Its members, if it is private now: nobody else may hear of it from now on, except managers. */
  insiders: string[] | null;
}

interface Population {
  isPrivate: boolean;
  /** Needed of a private channel only. */
  members: string[];
}

/** Everybody who knew the channel before or knows it afterwards hears of the change, so that clients also forget it. */
export function newsOf(before: Population, after: Population): ChannelNews {
  const isHidden = before.isPrivate && after.isPrivate;
  return {
    told: isHidden ? [...new Set([...before.members, ...after.members])] : 'everyone',
    insiders: after.isPrivate ? after.members : null,
  };
}

export interface Caller {
  name: string;
  permissions: readonly Leaf[];
  /** The caller's role in this channel; null outside. */
  role: ChannelRole | null;
}

export interface Joining {
  member: string;
  /** Undefined: unchanged, or `member` for a new member. */
  role: ChannelRole | undefined;
  /** False if the team has no such member. */
  isKnown: boolean;
  /** The member's present role in the channel. */
  present: ChannelRole | null;
  isOnlyAdmin: boolean;
}

/** `nothing`: it is already so. */
export type JoinDecision = { change: 'join' | 'role'; role: ChannelRole } | { change: 'nothing' };

const relationsOf = (channel: ChannelState, caller: Caller): Relation[] =>
  relationsToChannel(channel.isGeneral ? null : caller.role);

const manages = (channel: ChannelState, caller: Caller): boolean =>
  isAllowed(channelRules.manage, caller.permissions, relationsOf(channel, caller));

function refuseUnlessManaging(channel: ChannelState, caller: Caller): void {
  if (!manages(channel, caller)) refuse('channel_admins_only');
}

function refuseStrangers(channel: ChannelState, caller: Caller, member: string): void {
  const relations = relationsOf(channel, caller);
  if (member === caller.name) relations.push('self');
  if (!isAllowed(channelRules.joinOrLeave, caller.permissions, relations)) refuse('channel_others_by_admins');
}

function refuseGeneral(channel: ChannelState, act: string): void {
  if (channel.isGeneral) refuse('general_is_fixed', { act });
}

function refuseArchived(channel: ChannelState, act: string): void {
  if (channel.isArchived) refuse('channel_archived', { slug: channel.slug, act });
}

/** @throws BrokerError forbidden, conflict, gone. Only the store knows whether a slug is taken. */
export function assertChange(channel: ChannelState, caller: Caller, isRename: boolean): void {
  const act = isRename ? 'renamed' : 'made private or public';
  refuseUnlessManaging(channel, caller);
  refuseGeneral(channel, act);
  refuseArchived(channel, act);
}

/** Archiving an archived channel changes nothing. @throws BrokerError forbidden, conflict. */
export function assertArchive(channel: ChannelState, caller: Caller): void {
  refuseUnlessManaging(channel, caller);
  refuseGeneral(channel, 'archived');
}

/** @throws BrokerError forbidden, not_found, conflict, gone. */
export function decideJoin(channel: ChannelState, caller: Caller, joining: Joining): JoinDecision {
  const { member, role, isKnown, present, isOnlyAdmin } = joining;
  refuseStrangers(channel, caller, member);
  if (role === 'admin' && !manages(channel, caller)) refuse('channel_admin_by_admins');
  if (!isKnown) refuse('unknown_member', { name: member });
  refuseGeneral(channel, 'joined');
  refuseArchived(channel, 'joined');
  if (present === null) return { change: 'join', role: role ?? 'member' };
  if (role === undefined || role === present) return { change: 'nothing' };
  if (present === 'admin' && isOnlyAdmin) refuse('last_channel_admin', { name: member, slug: channel.slug });
  return { change: 'role', role };
}

/**
 * Leaving an archived channel works. @throws BrokerError forbidden, conflict, not_found for a member who is
 * not in it.
 */
export function assertLeave(
  channel: ChannelState,
  caller: Caller,
  leaving: { member: string; present: ChannelRole | null },
): void {
  refuseStrangers(channel, caller, leaving.member);
  refuseGeneral(channel, 'left');
  if (leaving.present === null) refuse('member_not_in_channel', { name: leaving.member, slug: channel.slug });
}
