/**
 * The answers that a member must get when it reads: history, unread counts, receipts, search, and waiting
 * messages.
 */
import { limits } from '#protocol/limits.ts';
import { type Day, inChannel, isManager, type Post, reads } from './day-state.ts';

export type ReadingStep =
  | { kind: 'read'; by: string; scope: string; upTo: string }
  | { kind: 'evidence'; by: string; label: string };

export const placeOf = (day: Day, label: string): number =>
  day.posts.findIndex((post) => post.label === label);

export function takeReadingStep(day: Day, step: ReadingStep): number {
  if (step.kind === 'read') {
    const place = placeOf(day, step.upTo);
    const post = day.posts[place];
    if (post === undefined || !reads(day, step.by, post.scope)) return 404;
    const mine = day.reads.get(step.by) ?? new Map<string, number>();
    day.reads.set(step.by, mine.set(step.scope, Math.max(place, mine.get(step.scope) ?? -1)));
    return 204;
  }
  const post = day.posts[placeOf(day, step.label)];
  if (post === undefined || !recipients(day, post).includes(step.by)) return 403;
  if (!post.evidence.includes(step.by)) post.evidence.push(step.by);
  return 204;
}

/** Newest first, or a refusal. */
export function history(day: Day, name: string, scope: string): string[] | number {
  const [kind, key = ''] = scope.split(':');
  if (kind === 'chan' && !day.channels.has(key)) return 404;
  if (kind === 'obj' && !day.objectives.has(key)) return 404;
  if (!reads(day, name, scope)) return 403;
  const labels = day.posts.flatMap((post) => (post.scope === scope ? [post.label] : [])).reverse();
  const isWithNobody = kind === 'dm' && scope.split(':').some((side, at) => at > 0 && !day.members.has(side));
  return isWithNobody && labels.length === 0 ? 404 : labels;
}

/**
 * The members for whom it was when it was accepted, if they are still members and still in the channel; the
 * sender only for a note to itself.
 */
export function recipients(day: Day, { audience, from, to, scope }: Post): string[] {
  const [kind, key = ''] = scope.split(':');
  return audience.filter(
    (name) =>
      day.members.has(name) &&
      (to === null ? name !== from : name === to) &&
      (kind !== 'chan' || inChannel(day, key, name)),
  );
}

export interface ExpectedReceipt {
  member: string;
  /** The strongest state that is true. */
  state: string;
  /** A weaker state is correct, too: what was not written before a kill, or was seen in an earlier stay. */
  mayBeWeaker: boolean;
}

export function receipts(day: Day, post: Post): ExpectedReceipt[] {
  const place = placeOf(day, post.label);
  const [kind, key = ''] = post.scope.split(':');
  return recipients(day, post)
    .map((member): ExpectedReceipt => {
      if (post.evidence.includes(member)) return { member, state: 'accepted', mayBeWeaker: false };
      if ((day.reads.get(member)?.get(post.scope) ?? -1) >= place)
        return { member, state: 'read', mayBeWeaker: false };
      const stay = day.channels.get(key)?.members.find(({ name }) => name === member);
      const isEarlier = kind === 'chan' && (stay?.since ?? 0) > place;
      const isReceived = day.readers.get(member)?.received.includes(post.label) ?? false;
      return isReceived
        ? { member, state: 'delivered', mayBeWeaker: post.life < day.lives || isEarlier }
        : { member, state: 'stored', mayBeWeaker: false };
    })
    .sort((a, b) => (a.member < b.member ? -1 : 1));
}

export interface ExpectedUnread {
  scope: string;
  count: number;
  mentions: number;
  lastRead: string | null;
}

/** Posts of others after the member joined and after the last one that it read. */
export function unread(day: Day, name: string): ExpectedUnread[] {
  const begun = new Map<string, number>([['general', day.joined.get(name) ?? 0]]);
  for (const { key, members } of day.channels.values()) {
    const stay = members.find((one) => one.name === name);
    if (stay !== undefined) begun.set(`chan:${key}`, stay.since);
  }
  const isConversation = (scope: string): boolean => scope.startsWith('dm:') || scope.startsWith('obj:');
  for (const [place, { scope, audience }] of day.posts.entries()) {
    if (isConversation(scope) && audience.includes(name) && !begun.has(scope) && reads(day, name, scope))
      begun.set(scope, place);
  }
  const marked = day.reads.get(name) ?? new Map<string, number>();
  if (marked.size > limits.unread.read)
    throw new Error('the reply has the last marks only, and the day has more');
  // A marked thread is shown, even if every message was accepted before the member came to it.
  for (const scope of marked.keys())
    if (!begun.has(scope) && reads(day, name, scope)) begun.set(scope, day.posts.length);
  return [...begun]
    .flatMap(([scope, first]) => {
      const last = marked.get(scope);
      const from = Math.max(first, (last ?? -1) + 1);
      const later = day.posts.slice(from).filter((post) => post.scope === scope);
      const isNew = later.some(({ audience }) => !isConversation(scope) || audience.includes(name));
      if (!isNew && last === undefined && scope !== 'general') return [];
      const theirs = later.filter((post) => post.from !== name);
      return [
        {
          scope,
          count: theirs.length,
          mentions: theirs.filter(({ mentions }) => mentions.includes(name)).length,
          lastRead: last === undefined ? null : (day.posts[last]?.label ?? null),
        },
      ];
    })
    .sort((a, b) => (a.scope < b.scope ? -1 : 1));
}

/**
 * Labels of what the member may read that contains the word, and keys of objectives, which everybody may
 * read.
 */
export function search(day: Day, name: string, word: string): { posts: string[]; objectives: string[] } {
  return {
    posts: day.posts
      .filter((post) => post.words.includes(word) && reads(day, name, post.scope))
      .map(({ label }) => label)
      .reverse(),
    objectives: [...day.objectives.values()]
      .filter((one) => one.word === word)
      .map(({ key }) => key)
      .reverse(),
  };
}

const shownAtOnce = 200;

/**
 * Direct messages, mentions, and notices for the member without evidence of its runner: the newest ones,
 * oldest first.
 */
export function waiting(day: Day, name: string): { labels: string[]; more: number } {
  const all = day.posts.filter((post) => {
    if (post.from === name || post.evidence.includes(name)) return false;
    if (post.scope.startsWith('dm:')) return post.to === name;
    if (post.isNotice) return post.audience.includes(name);
    return (
      post.mentions.includes(name) && reads(day, name, post.scope) && recipients(day, post).includes(name)
    );
  });
  return {
    labels: all.slice(-shownAtOnce).map(({ label }) => label),
    more: Math.max(0, all.length - shownAtOnce),
  };
}

/** The member's open objectives, active first, each group newest first. */
export function openObjectives(day: Day, name: string): string[] {
  const all = [...day.objectives.values()].reverse().filter(({ assignee }) => assignee === name);
  return ['active', 'blocked'].flatMap((status) =>
    all.filter((one) => one.status === status).map(({ key }) => key),
  );
}

export const mayWatchActivity = (day: Day, reader: string, member: string): boolean =>
  reader === member || isManager(day, reader);
