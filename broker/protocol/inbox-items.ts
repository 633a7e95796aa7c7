/** The items that need a member, from what the broker knows (specification/attention.md#inbox). Pure. */
import type { AttentionMark, DamagedStore, LowDisk, UnreadMessage } from './attention.ts';
import type { ClockTrouble } from './clock-trouble.ts';
import { counted } from './counted.ts';
import type { PendingEnrollment } from './enrollment.ts';
import type { HeldPost } from './held.ts';
import type { InboxItem, InboxPlace } from './inbox.ts';
import { byAssignee, heldTitle, moreUnreadKey } from './inbox-about.ts';
import { byUrgency } from './inbox-kinds.ts';
import { mentionPattern, mentionsIn } from './mentions.ts';
import type { ModelRefusal } from './model-refusal.ts';
import { refusalText } from './model-refusal-text.ts';
import type { Objective } from './objective.ts';
import { plainExcerpt } from './plain-excerpt.ts';
import type { Presence } from './presence.ts';
import { presenceState } from './presence-state.ts';
import type { UnreadScope } from './receipt.ts';
import { parseScope } from './scope.ts';

/** An objective that somebody else completed for the member; `result` is the beginning of its text. */
export type ObjectiveResult = Pick<Objective, 'id' | 'title' | 'assignee'> & {
  result: string;
  completedAt: number;
};

export interface InboxSources {
  self: string;
  critical: readonly UnreadMessage[];
  /** The newest message to the member in each conversation. */
  addressed: readonly UnreadMessage[];
  unread: readonly UnreadScope[];
  /** Further conversations are unread. */
  hasMoreUnread: boolean;
  lowDisks: readonly LowDisk[];
  clock: ClockTrouble | undefined;
  damagedStores: readonly DamagedStore[];
  /** The conversations of which only mentions and critical messages need the member. */
  muted: ReadonlySet<string>;
  presences: readonly Presence[];
  /** When an agent last had an exchange with its model, as far as that is known. */
  lastActivityOf: (name: string) => number;
  enrollments: readonly PendingEnrollment[];
  held: readonly HeldPost[];
  blocked: readonly Objective[];
  /** Of the last days. */
  results: readonly ObjectiveResult[];
  /** Whether the member is the one to look after agents, devices, and held posts. */
  mayManage: boolean;
  now: number;
}

/** A result that nobody looked at for so long does not wait anymore. */
export const resultMs = 14 * 24 * 3_600_000;
const maxDetail = 200;
/** An agent that works for so long without its model may be stuck. */
const stuckMs = 30 * 60_000;

/** The newest message is in it, because another one may come in place of one that was deleted. */
const keyOfUnread = (
  { scope, lastReadId }: UnreadScope,
  count: number,
  newest: UnreadMessage | undefined,
): string => `${scope} ${lastReadId ?? ''} ${count} ${newest?.id ?? ''}`;

const ofCritical = ({ id, ts, from, scope, excerpt }: UnreadMessage): InboxItem => ({
  key: `critical ${id}`,
  kind: 'critical',
  title: `Critical message from ${from} in`,
  scope,
  detail: plainExcerpt(excerpt),
  at: ts,
  place: { kind: 'conversation', scope, message: id },
});

/** A fault of the machine of the broker. */
const ofMachine = (key: string, title: string, detail: string): InboxItem => ({
  key,
  kind: 'critical',
  title,
  scope: null,
  detail,
  at: null,
  place: { kind: 'settings' },
});

/** It asks for attention again whenever half of what was free is gone. */
const ofLowDisk = ({ store, freeBytes }: LowDisk): InboxItem =>
  ofMachine(
    `disk ${store} ${Math.floor(Math.log2(freeBytes + 1))}`,
    `The disk of the ${store} store is nearly full`,
    `${Math.round(freeBytes / 2 ** 20)} MiB are free.`,
  );

const ofClock = ({ jumpedMs }: ClockTrouble): InboxItem =>
  ofMachine(`clock ${jumpedMs}`, 'The clock is or was wrong', '"muster doctor" says more.');

const ofDamagedStore = ({ store, cause }: DamagedStore): InboxItem =>
  ofMachine(
    `damage ${store} ${cause.slice(0, 100)}`,
    `The ${store} store is damaged or cannot be used`,
    `Stop the broker and run "muster repair". ${cause}`.slice(0, maxDetail),
  );

/** A row of a list shows about so many characters on a phone. */
const shownLength = 40;

/** One line of an excerpt, which begins shortly before the mention of the member if that comes late. */
function mentioning(excerpt: string, self: string): string {
  const text = plainExcerpt(excerpt);
  const ofSelf = ([, name = '']: RegExpExecArray) => name.toLowerCase() === self.toLowerCase();
  const at = [...text.matchAll(mentionPattern)].find(ofSelf)?.index ?? 0;
  if (at + self.length < shownLength) return text;
  const start = text.lastIndexOf(' ', at - shownLength / 2) + 1;
  return start === 0 ? text : `… ${text.slice(start)}`;
}

/** `newest`: the newest message of the conversation, which need not mention the member. */
function ofMutedDirect(
  one: UnreadScope,
  from: string,
  newest: UnreadMessage | undefined,
  self: string,
): InboxItem[] {
  const { scope, mentions } = one;
  if (mentions === 0) return [];
  const shown =
    newest !== undefined && mentionsIn(newest.excerpt).has(self.toLowerCase()) ? newest : undefined;
  return [
    {
      key: `mention ${keyOfUnread(one, mentions, shown)}`,
      kind: 'mention',
      title: `${counted(mentions, 'mention')} from ${from}`,
      scope: null,
      detail: mentioning(shown?.excerpt ?? '', self),
      at: shown?.ts ?? null,
      place: { kind: 'conversation', scope },
    },
  ];
}

function ofUnread(one: UnreadScope, { self, critical, addressed, muted }: InboxSources): InboxItem[] {
  const { scope, count, mentions } = one;
  const newest = addressed.find((message) => message.scope === scope);
  const { excerpt = '', ts = null } = newest ?? {};
  const place: InboxPlace = { kind: 'conversation', scope };
  const parsed = parseScope(scope);
  if (parsed?.kind !== 'direct')
    return mentions === 0
      ? []
      : [
          {
            key: `mention ${keyOfUnread(one, mentions, newest)}`,
            kind: 'mention',
            title: `${counted(mentions, 'mention')} in`,
            scope,
            detail: newest === undefined ? '' : `${newest.from}: ${mentioning(excerpt, self)}`,
            at: ts,
            place: newest === undefined ? place : { ...place, message: newest.id },
          },
        ];
  if (muted.has(scope)) return ofMutedDirect(one, parsed.member, newest, self);
  const others = count - critical.filter((message) => message.scope === scope).length;
  if (others <= 0) return [];
  const title = `${counted(others, 'direct message')} from ${parsed.member}`;
  const key = `direct ${keyOfUnread(one, others, newest)}`;
  return [{ key, kind: 'direct', title, scope: null, detail: plainExcerpt(excerpt), at: ts, place }];
}

/** When it ends is a time of day, which each client writes for its reader. */
const ofRefusal = ({ cause, since, until }: ModelRefusal): Pick<InboxItem, 'detail' | 'at' | 'until'> => ({
  detail: `The model refuses: ${refusalText({ cause }, String)}`,
  at: since,
  ...(until !== undefined && { until }),
});

function ofAgents({ presences, lastActivityOf, mayManage, now }: InboxSources): InboxItem[] {
  if (!mayManage) return [];
  return presences.flatMap((presence): InboxItem[] => {
    const { name, model, run, lastSeen } = presence;
    const place: InboxPlace = { kind: 'member', name };
    const rest = {
      kind: 'agent' as const,
      title: `${name} cannot work`,
      scope: null,
      detail: '',
      at: null,
      place,
    };
    switch (presenceState(presence)) {
      case 'refused':
        return [
          {
            ...rest,
            key: `refused ${name} ${model?.since ?? 0}`,
            ...(model !== undefined && ofRefusal(model)),
          },
        ];
      case 'not responding':
        return [
          {
            ...rest,
            key: `silent ${name} ${run?.since ?? 0} ${lastSeen ?? 0}`,
            detail: 'The runner does not respond.',
            at: lastSeen,
          },
        ];
      case 'out of reach':
        return [
          {
            ...rest,
            key: `unreached ${name} ${run?.since ?? 0}`,
            detail:
              'Its program has not asked for tools, so neither the tools nor the messages of the team reach it.',
            at: run?.since ?? null,
          },
        ];
      case 'working': {
        const since = Math.max(lastActivityOf(name), run?.since ?? now);
        if (now - since < stuckMs) return [];
        return [
          {
            ...rest,
            key: `stuck ${name} ${since}`,
            title: `${name} may be stuck`,
            detail: 'It works, but had no exchange with its model for half an hour.',
            at: since,
          },
        ];
      }
      default:
        return [];
    }
  });
}

function ofDecisions({ enrollments, held, mayManage }: InboxSources): InboxItem[] {
  const devices = enrollments.map(
    ({ userCode, labelHint, createdAt, expiresAt }): InboxItem => ({
      key: `device ${userCode}`,
      kind: 'device',
      title: `${labelHint ?? 'An unnamed device'} is waiting for approval`,
      scope: null,
      detail: `Its code is ${userCode}`,
      at: createdAt,
      until: expiresAt,
      place: { kind: 'device', code: userCode },
    }),
  );
  if (!mayManage) return devices;
  const posts = held.map(
    ({ id, from, scope, excerpt, at }): InboxItem => ({
      key: `held ${id}`,
      kind: 'held',
      title: heldTitle(from),
      scope,
      detail: plainExcerpt(excerpt),
      at,
      place: { kind: 'held', id },
    }),
  );
  return [...devices, ...posts];
}

function ofObjectives({ self, blocked, results }: InboxSources): InboxItem[] {
  const place = ({ id }: Pick<Objective, 'id'>): InboxPlace => ({ kind: 'objective', id });
  const isConcerned = ({ originator, blockReason }: Objective) =>
    originator === self || mentionsIn(blockReason ?? '').has(self.toLowerCase());
  const waiting = blocked.filter(isConcerned).map(
    (one): InboxItem => ({
      key: `blocked ${one.id} ${one.updatedAt}`,
      kind: 'blocked',
      title: `Blocked: ${one.title}`,
      scope: null,
      detail: byAssignee(one.assignee, plainExcerpt(one.blockReason ?? '', maxDetail)),
      at: one.updatedAt,
      place: place(one),
    }),
  );
  const finished = results.map(
    (one): InboxItem => ({
      key: `result ${one.id} ${one.completedAt}`,
      kind: 'result',
      title: `Done: ${one.title}`,
      scope: null,
      detail: byAssignee(one.assignee, plainExcerpt(one.result, maxDetail)),
      at: one.completedAt,
      place: place(one),
    }),
  );
  return [...waiting, ...finished];
}

const moreUnread: InboxItem = {
  key: moreUnreadKey,
  kind: 'direct',
  title: 'Further unread conversations are not listed here',
  scope: null,
  detail: 'Mark conversations as read that you do not need.',
  at: null,
  place: { kind: 'conversation', scope: 'general' },
};

/** Returns what needs the member, the most urgent kind first, and the newest of a kind first. */
export function inboxItems(sources: InboxSources, marks: readonly AttentionMark[]): InboxItem[] {
  const marked = new Set(
    marks.filter(({ until }) => until === null || until > sources.now).map(({ item }) => item),
  );
  return [
    ...sources.damagedStores.map(ofDamagedStore),
    ...sources.lowDisks.map(ofLowDisk),
    ...(sources.clock === undefined ? [] : [ofClock(sources.clock)]),
    ...sources.critical.map(ofCritical),
    ...sources.unread.flatMap((one) => ofUnread(one, sources)),
    ...(sources.hasMoreUnread ? [moreUnread] : []),
    ...ofAgents(sources),
    ...ofDecisions(sources),
    ...ofObjectives(sources),
  ]
    .filter(({ key }) => !marked.has(key))
    .sort(byUrgency);
}
