/**
 * Who may change a channel, and the result (specification/channels.md#operations). Pure. It refuses in this
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
  if (!manages(channel, caller))
    refuse('forbidden', 'you may not do this: it needs being an admin of this channel, or members.manage');
}

function refuseStrangers(channel: ChannelState, caller: Caller, member: string): void {
  const relations = relationsOf(channel, caller);
  if (member === caller.name) relations.push('self');
  if (!isAllowed(channelRules.joinOrLeave, caller.permissions, relations))
    refuse(
      'forbidden',
      'others are added and removed by the channel’s admins and by holders of members.manage; you may join and leave yourself',
    );
}

function refuseGeneral(channel: ChannelState, done: string): void {
  if (channel.isGeneral) refuse('conflict', `#general is always there for everybody: it cannot be ${done}`);
}

function refuseArchived(channel: ChannelState, done: string): void {
  if (channel.isArchived) refuse('gone', `#${channel.slug} is archived and cannot be ${done} any more`);
}

/** @throws BrokerError forbidden, conflict, gone. Only the store knows whether a slug is taken. */
export function assertRename(channel: ChannelState, caller: Caller): void {
  refuseUnlessManaging(channel, caller);
  refuseGeneral(channel, 'renamed');
  refuseArchived(channel, 'renamed');
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
  if (role === 'admin' && !manages(channel, caller))
    refuse(
      'forbidden',
      'the role admin is given by the channel’s admins and by holders of members.manage; join without it',
    );
  if (!isKnown) refuse('not_found', `there is no member named ${member}`);
  refuseGeneral(channel, 'joined');
  refuseArchived(channel, 'joined');
  if (present === null) return { change: 'join', role: role ?? 'member' };
  if (role === undefined || role === present) return { change: 'nothing' };
  if (present === 'admin' && isOnlyAdmin)
    refuse('conflict', `${member} is the only admin of #${channel.slug}: make somebody else admin first`);
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
  if (leaving.present === null) refuse('not_found', `${leaving.member} is not in #${channel.slug}`);
}
