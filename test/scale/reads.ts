/**
 * The reads of the stores whose work is counted, each with an answer that is the same however long the history
 * is. A read that grows nevertheless says why.
 */
import { activityKinds } from '#protocol/vocabulary.ts';
import type { ActivityStoreUnits } from '../../broker/activity-store.ts';
import type { MainUnits } from '../../broker/main-store.ts';
import { lastActivityAt } from './fill-activity-store.ts';
import * as shape from './team-shape.ts';
import { agent, type TeamSize } from './team-shape.ts';

export interface CountedRead {
  title: string;
  store: 'main' | 'activity';
  unit: string;
  input: (store: FilledStore) => unknown;
  /** Why it grows with the history; undefined for a read that does not. */
  grows?: string;
}

/** A store of a size, as far as an input depends on it. */
export interface FilledStore {
  size: TeamSize;
  /** Epoch ms of the first message, and of the first row of activity. */
  start: number;
  /** The position of the newest message. */
  newest: number;
}

type InputOf<Units, Name extends keyof Units> = Units[Name] extends (input: infer Input) => unknown
  ? Input
  : never;

const ofMain = <Name extends keyof MainUnits & string>(
  title: string,
  unit: Name,
  input: (store: FilledStore) => InputOf<MainUnits, Name>,
  grows?: string,
): CountedRead => ({ title, store: 'main', unit, input, ...(grows !== undefined && { grows }) });

const ofActivity = <Name extends keyof ActivityStoreUnits & string>(
  title: string,
  unit: Name,
  input: (store: FilledStore) => InputOf<ActivityStoreUnits, Name>,
  grows?: string,
): CountedRead => ({ title, store: 'activity', unit, input, ...(grows !== undefined && { grows }) });

const manager = { name: shape.manager, isManager: true };
const member = { name: shape.member, isManager: false };
const caller = { name: shape.member, permissions: [] };
const managing = { name: shape.manager, permissions: ['members.manage'] as const };
const managers = [shape.manager];
const pageBytes = 256 * 1024;
const end = Number.MAX_SAFE_INTEGER;

const history = (title: string, key: string, before = (_: FilledStore): number => end): CountedRead =>
  ofMain(`history of ${title}`, 'historyPage', (store) => ({
    reader: member,
    key,
    before: before(store),
    beforeId: null,
    limit: 50,
    bytes: pageBytes,
  }));

const search = (
  title: string,
  phrases: readonly (readonly string[])[],
  over: { scope?: string; from?: string; limit?: number } = {},
  grows?: string,
): CountedRead =>
  ofMain(
    `search of ${title}`,
    'searchPage',
    () => ({
      reader: member,
      phrases: [...phrases],
      scope: null,
      from: null,
      before: null,
      limit: 20,
      budgetMs: 60_000,
      ...over,
    }),
    grows,
  );

const objectives = (
  title: string,
  over: { assignee?: string; originator?: string; status?: string },
): CountedRead =>
  ofMain(`objectives, ${title}`, 'objectivesPage', () => ({
    assignee: null,
    originator: null,
    status: null,
    before: null,
    limit: 20,
    ...over,
  }));

const activity = (title: string, over: object): CountedRead =>
  ofActivity(`activity, ${title}`, 'activityRange', ({ start, size }) => ({
    member: agent,
    kinds: activityKinds,
    from: 0,
    to: lastActivityAt(start, size.activity),
    limit: 50,
    objective: null,
    ...over,
  }));

const teamActivity = (title: string, over: object): CountedRead =>
  ofActivity(`activity in short, ${title}`, 'teamActivity', () => ({
    member: null,
    kinds: activityKinds,
    isFailed: false,
    before: end,
    limit: 50,
    ...over,
  }));

const aFile = ({ size }: FilledStore): string => shape.pathOf(0, size).path;
const folder = (store: FilledStore): string => aFile(store).replace(/\/[^/]*$/, '');
const dayMs = 24 * 60 * 60_000;

export const countedReads: readonly CountedRead[] = [
  history('general', 'general'),
  history(
    'general, in the middle',
    'general',
    ({ start, size }) => start + (size.messages / 2) * shape.messageEveryMs,
  ),
  history('a busy channel', `chan:${shape.busyChannel}`),
  history('a quiet channel', `chan:${shape.quietChannel}`),
  history('a direct conversation', shape.directKey),
  search('a common word', [[shape.commonWord]]),
  search('a rare word', [[shape.rareWord]], { limit: 5 }),
  search('a word that is nowhere', [['nowhere']]),
  search('two common words', [[shape.commonWord], ['team']]),
  search('a word in one conversation', [[shape.commonWord]], { scope: shape.directKey }),
  search('a word of one member', [[shape.commonWord]], { from: shape.manager }),
  search(
    'a phrase of common words without a match',
    [shape.phraseWithoutMatch],
    {},
    'the positions of both words are read to the end',
  ),
  ofMain('the window of history around a message', 'historyWindow', () => ({
    reader: member,
    key: 'general',
    id: '',
    isAfter: false,
    older: 50,
    newer: 50,
    bytes: pageBytes,
  })),
  ofMain('what a member has dealt with', 'attentionMarks', () => ({ member: member.name, now: 0 })),
  ofMain('unread critical messages', 'unreadCritical', () => ({ reader: member, limit: 50 })),
  ofMain(
    'unread messages to a member',
    'unreadAddressed',
    () => ({ reader: member, limit: 50 }),
    'the newest message of every channel of the member is looked at',
  ),
  ofMain('where unread messages begin', 'unreadMarks', () => ({
    reader: member,
    scope: 'general',
    mentions: 100,
  })),
  ofMain('unread of a member', 'unreadPlaces', () => member),
  ofMain(
    'unread of a manager',
    'unreadPlaces',
    () => manager,
    'the newest message of every channel of the member is looked at',
  ),
  ofMain('the count of unread messages', 'countUnread', ({ newest }) => ({
    reader: member,
    upTo: newest,
    places: [
      {
        ...{ scope: 'general', after: newest - 50, since: 0, count: 0, isCounted: false },
        ...{ mentions: 0, lastReadId: null, isNew: true },
      },
    ],
  })),
  ofMain('messages that wait for a runner', 'waitingFor', () => ({ reader: member, limit: 200 })),
  objectives('newest', {}),
  objectives('newest open', { status: 'active' }),
  objectives('newest done', { status: 'done' }),
  objectives('newest of an assignee', { assignee: shape.member }),
  objectives('newest done of an assignee', { assignee: shape.member, status: 'done' }),
  ofMain('the events of an objective', 'objectiveEvents', () => ({
    id: shape.objectiveId(1),
    after: 0,
    limit: 50,
  })),
  objectives('newest of an originator', { originator: shape.manager }),
  objectives('newest open of an originator', { originator: shape.manager, status: 'active' }),
  ofMain('the results for an originator', 'objectiveResults', () => ({
    originator: shape.manager,
    after: 0,
    limit: 20,
  })),
  ofMain('the open objectives of a briefing', 'openObjectivesOf', () => ({
    assignee: shape.member,
    limit: 20,
  })),
  ofMain(
    'channels',
    'channelsFor',
    () => ({ viewer: { name: shape.member, isManager: false }, after: '', limit: null }),
    'the answer has every channel',
  ),
  ofMain('a page of channels', 'channelsFor', () => ({
    viewer: { name: shape.member, isManager: false },
    after: 'channel-2',
    limit: 10,
  })),
  ofMain('one channel', 'channelFor', () => ({
    slug: 'channel-2',
    viewer: { name: shape.manager, isManager: true },
  })),
  ofMain('ls of an own folder', 'listDirectory', (store) => ({
    caller: managing,
    path: folder(store),
    after: '',
    limit: 50,
  })),
  ofMain('ls of an own home', 'listDirectory', () => ({
    caller: managing,
    path: `/${shape.manager}`,
    after: '',
    limit: 1,
  })),
  ofMain(
    'ls of the root',
    'listDirectory',
    () => ({ caller, path: '/', after: '', limit: 50 }),
    'every channel of the member is looked at, and each objective that it watches',
  ),
  ofMain(
    'ls of another home by grants',
    'listDirectory',
    () => ({ caller, path: `/${shape.manager}`, after: '', limit: 50 }),
    'every channel of the member is looked at, and each objective that it watches',
  ),
  ofMain(
    'files shared with a member',
    'filesSharedWith',
    () => ({ caller, after: '', limit: 50 }),
    'every channel of the member is looked at, and each objective that it watches',
  ),
  ofMain(
    'files shared with a manager',
    'filesSharedWith',
    () => ({ caller: managing, after: '', limit: 50 }),
    'every channel of the member is looked at',
  ),
  ofMain(
    'files found by a member',
    'findFiles',
    () => ({ caller, q: 'no such file', after: '', limit: 20, examined: 50 }),
    'every channel of the member is looked at, and each objective that it watches',
  ),
  ofMain('files found by a manager', 'findFiles', () => ({
    ...{ caller: managing, q: 'no such file', after: '', limit: 20, examined: 50 },
  })),
  ofMain('facts of a file', 'statEntry', (store) => ({ caller, path: aFile(store) })),
  ofMain('a file to read', 'entryToRead', (store) => ({ caller, path: aFile(store) })),
  ofMain('the check before a file is written', 'checkWrite', ({ size }) => ({
    caller: managing,
    path: `${folder({ size, start: 0, newest: 0 })}/new.txt`,
    collide: 'suffix' as const,
    quota: { entries: end, bytes: end },
    size: 1,
  })),
  ofMain('the grants on a file', 'grantsOn', (store) => ({ caller: managing, path: aFile(store), managers })),
  ofMain('the readers of a file', 'readersOn', (store) => ({ path: aFile(store), managers })),
  ofMain('the readers below a folder', 'readersBelow', (store) => ({
    ...{ caller: managing, path: folder(store), managers },
  })),
  ofMain('who can have received a message', 'candidatesOf', ({ newest, start }) => ({
    id: shape.messageId(newest - 1, start + (newest - 1) * shape.messageEveryMs),
    caller: manager,
  })),
  ofMain('receipts of a message', 'receiptsOf', ({ newest, start }) => ({
    id: shape.messageId(newest - 1, start + (newest - 1) * shape.messageEveryMs),
    caller: manager,
    members: [shape.manager, shape.member, agent],
  })),
  ofMain('what a stream of a member missed', 'missedBy', ({ newest }) => ({
    readers: [{ reader: member, after: newest - 50 }],
    limit: 50,
    characters: pageBytes,
  })),
  ofMain('what a stream of a manager missed', 'missedBy', ({ newest }) => ({
    readers: [{ reader: manager, after: newest - 50 }],
    limit: 50,
    characters: pageBytes,
  })),
  ofMain('held posts', 'heldPosts', () => ({ reader: manager })),
  ofMain('audit, newest', 'auditPage', () => ({ limit: 50 })),
  ofMain('audit, from the beginning', 'auditPage', () => ({ limit: 50, after: 0 })),
  ofMain('audit, of a kind', 'auditPage', () => ({ limit: 5, kind: 'logout' as const })),
  ofMain(
    'audit, of a member without records',
    'auditPage',
    () => ({ limit: 50, member: 'nobody' }),
    'a page reads up to 5,000 records',
  ),
  activity('newest', {}),
  activity('newest of a kind', { kinds: ['llm_exchange'] }),
  activity('of an objective', { objective: shape.objectiveId(1) }),
  ofActivity('what a watcher of activity missed', 'activityFrames', ({ size }) => ({
    member: agent,
    after: size.activity - 50,
  })),
  ofActivity('activity of a member in short', 'memberSummaries', ({ start, size }) => ({
    ...{ member: agent, kinds: activityKinds, from: 0, to: lastActivityAt(start, size.activity) },
    ...{ limit: 50, objective: null },
  })),
  teamActivity('of everybody', {}),
  teamActivity('of everybody, of a kind', { kinds: ['llm_exchange'] }),
  teamActivity('of a member', { member: agent }),
  teamActivity('that failed', { isFailed: true }),
  teamActivity('of a member, that failed', { isFailed: true, member: agent }),
  ofActivity('a transcript', 'activityTurns', () => ({ member: agent, before: end, limit: 20 })),
  ofActivity('activity in short by id', 'summariesOfRows', () => ({ ids: [1, 2, 3] })),
  ofActivity('turns of a transcript by id', 'turnsOfRows', () => ({ ids: [1, 2, 3] })),
  ofActivity('what a watcher of activity in short missed', 'summaryFrames', ({ size }) => ({
    member: null,
    after: size.activity - 50,
  })),
  ofActivity('one row of activity', 'activityRow', () => ({ member: agent, id: 1 })),
  ofActivity('rows of activity by id', 'activityRows', () => ({ ids: [1, 2, 3] })),
  ofActivity('where activity stands', 'activityStanding', () => undefined as never),
  ofActivity('usage of a day', 'usagePerDay', ({ start }) => {
    const day = start - (start % dayMs);
    return { first: day, last: day, member: null };
  }),
];

/** Why the work of a reading unit is not counted. */
export const uncountedReads: Readonly<Record<string, string>> = {
  generalMembers: 'the answer has every member',
  enrollmentByCode: 'finds one row by its key',
  pendingEnrollments: 'how many enrollments may wait is limited',
  enrollmentHistory: 'the rows are limited in number and age',
  changeableScope: 'finds one row by its key',
  heldPost: 'finds one row by its key',
};
