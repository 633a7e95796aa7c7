/** Posts, channels, and members: what a step changes, and the status with which it is answered. */

import {
  accept,
  addMember,
  type Channel,
  type Day,
  distinct,
  inChannel,
  isManager,
  type Level,
  names,
} from './day-state.ts';
import { attach, forgetFilesOf } from './file-model.ts';
import { release } from './objective-model.ts';

export type Post = {
  by: string;
  label: string;
  words: string[];
  mentions: string[];
  attachments: string[];
  /** Labels of the messages that caused it, if an agent writes it. */
  causes?: string[];
  /** Characters that make it longer. */
  padding?: number;
};
export type PeopleStep =
  | ({ kind: 'push'; to: string | null; channel: string | null } & Post)
  | { kind: 'createChannel'; by: string; key: string; slug: string }
  | { kind: 'join'; by: string; channel: string; member: string; role: 'admin' | 'member' | null }
  | { kind: 'leave'; by: string; channel: string; member: string }
  | { kind: 'rename'; by: string; channel: string; slug: string }
  | { kind: 'archive'; by: string; channel: string }
  | { kind: 'addMember'; by: string; name: string; level: Level; isEnrolled: boolean }
  | { kind: 'setLevel'; by: string; name: string; level: Level }
  | { kind: 'removeMember'; by: string; name: string };

export function takePeopleStep(day: Day, step: PeopleStep): number {
  switch (step.kind) {
    case 'push':
      return push(day, step);
    case 'createChannel': {
      const { key, slug, by } = step;
      if (isTaken(day, slug)) return 409;
      const members: Channel['members'] = [{ name: by, role: 'admin', since: day.posts.length }];
      day.channels.set(key, { key, slug, isArchived: false, createdBy: by, members });
      return 201;
    }
    case 'join':
      return join(day, step);
    case 'leave': {
      const channel = day.channels.get(step.channel);
      if (channel === undefined) return 404;
      if (step.member !== step.by && !manages(day, channel, step.by)) return 403;
      if (!inChannel(day, step.channel, step.member)) return 404;
      takeOut(channel, step.member);
      return 204;
    }
    case 'rename': {
      const channel = day.channels.get(step.channel);
      if (channel === undefined) return 404;
      if (!manages(day, channel, step.by)) return 403;
      if (channel.isArchived) return 410;
      if (step.slug !== channel.slug && isTaken(day, step.slug)) return 409;
      channel.slug = step.slug;
      return 200;
    }
    case 'archive': {
      const channel = day.channels.get(step.channel);
      if (channel === undefined) return 404;
      if (!manages(day, channel, step.by)) return 403;
      channel.isArchived = true;
      return 204;
    }
    case 'addMember':
      if (!isManager(day, step.by)) return 403;
      addMember(day, step.name, step.level);
      return step.isEnrolled ? 200 : 201;
    case 'setLevel':
      if (!isManager(day, step.by)) return 403;
      if (!day.members.has(step.name)) return 404;
      day.members.set(step.name, step.level);
      return 200;
    case 'removeMember':
      return removeMember(day, step);
  }
}

const isTaken = (day: Day, slug: string): boolean =>
  slug === 'general' || [...day.channels.values()].some((channel) => channel.slug === slug);

const manages = (day: Day, channel: Channel, name: string): boolean =>
  isManager(day, name) || channel.members.some((one) => one.name === name && one.role === 'admin');

function push(
  day: Day,
  { by, to, channel: key, attachments, ...step }: PeopleStep & { kind: 'push' },
): number {
  const post = { ...step, from: by, to, isNotice: false };
  if (to !== null) {
    if (!day.members.has(to)) return 404;
    const refused = attach(day, by, attachments, `to:${to}`);
    if (refused !== null) return refused;
    accept(day, { ...post, scope: directScope(by, to), audience: distinct([by, to]) });
    return 200;
  }
  if (key === null) {
    const refused = attach(day, by, attachments, 'general');
    if (refused !== null) return refused;
    accept(day, { ...post, scope: 'general', audience: names(day) });
    return 200;
  }
  const channel = day.channels.get(key);
  if (channel === undefined) return 404;
  if (channel.isArchived) return 410;
  if (!inChannel(day, key, by)) return 403;
  const refused = attach(day, by, attachments, `chan:${key}`);
  if (refused !== null) return refused;
  accept(day, { ...post, scope: `chan:${key}`, audience: channel.members.map(({ name }) => name) });
  return 200;
}

export const directScope = (a: string, b: string): string => `dm:${[a, b].sort().join(':')}`;

function join(day: Day, { by, channel: key, member, role }: PeopleStep & { kind: 'join' }): number {
  const channel = day.channels.get(key);
  if (channel === undefined) return 404;
  const may = manages(day, channel, by);
  if (member !== by && !may) return 403;
  if (role === 'admin' && !may) return 403;
  if (!day.members.has(member)) return 404;
  if (channel.isArchived) return 410;
  const present = channel.members.find(({ name }) => name === member);
  if (present === undefined) {
    channel.members.push({ name: member, role: role ?? 'member', since: day.posts.length });
    return 204;
  }
  const isOnlyAdmin = !channel.members.some((one) => one.role === 'admin' && one.name !== member);
  if (role === 'member' && present.role === 'admin' && isOnlyAdmin) return 409;
  present.role = role ?? present.role;
  return 204;
}

/**
 * When the last admin leaves, the member who joined first becomes admin. A member who joins an empty channel
 * does not.
 */
function takeOut(channel: Channel, member: string): void {
  const wasAdmin = channel.members.some(({ name, role }) => name === member && role === 'admin');
  channel.members = channel.members.filter(({ name }) => name !== member);
  const first = channel.members[0];
  if (wasAdmin && first !== undefined && !channel.members.some(({ role }) => role === 'admin'))
    first.role = 'admin';
}

function removeMember(day: Day, { by, name }: PeopleStep & { kind: 'removeMember' }): number {
  if (!isManager(day, by)) return 403;
  if (!day.members.has(name)) return 404;
  day.members.delete(name);
  day.readers.delete(name);
  release(day, name);
  for (const channel of day.channels.values()) {
    if (channel.members.some((one) => one.name === name)) takeOut(channel, name);
  }
  forgetFilesOf(day, name);
  return 204;
}
