/** The requests to a large store over HTTP (scale.ts). The team is that of test/scale/team-shape.ts. */
import { History } from '#protocol/message.ts';
import { type OperationId, operations } from '#protocol/operations.ts';
import {
  agent,
  busyChannel,
  commonWord,
  manager,
  member,
  objectiveId,
  phraseWithoutMatch,
  quietChannel,
  rareWord,
} from '../scale/team-shape.ts';
import { benchToken, otherToken, tokenOf } from './bench-broker.ts';
import { type Measurable, measureRequests, type RequestsMeasured } from './measure-load.ts';
import { measureResumes } from './resume-load.ts';

/** How long each round of it lasts. */
export type Span = { warmUpMs: number; durationMs: number };

export interface ScaleOperation {
  title: string;
  /** The row of the contract table. */
  operation: OperationId;
  measure: (server: Measurable, span: Span) => Promise<RequestsMeasured>;
  /** Returns the request to a server; null if it takes more than one request. */
  request: ((server: Measurable) => Promise<string>) | null;
}

const asked = (
  title: string,
  operation: OperationId,
  request: (server: Measurable) => Promise<string>,
): ScaleOperation => ({
  title,
  operation,
  measure: async (server, span) =>
    measureRequests(server, { connections: 1, request: await request(server), ...span }),
  request,
});

const resumed = (title: string, name: string, token: string): ScaleOperation => ({
  title,
  operation: 'subscribe',
  measure: (server, span) => measureResumes(server, { member: name, token, missed: 50, ...span }),
  request: null,
});

/** The parameters of a path, and the query after it. */
type Target = { query?: string } & Readonly<Record<string, string>>;

function requestOf(token: string, operation: OperationId, target: Target = {}, body = ''): string {
  const { query = '', ...params } = target;
  const { method, path } = operations[operation];
  const place = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  const content = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  const line = `${method} ${place}${query === '' ? '' : `?${query}`}`;
  return `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${content}\r\n${body}`;
}

const as =
  (token: string) =>
  (title: string, operation: OperationId, target: Target = {}): ScaleOperation =>
    asked(title, operation, () => Promise.resolve(requestOf(token, operation, target)));
const get = as(otherToken);
const byManager = as(benchToken);
const byAgent = as(tokenOf(agent));
const words = (text: string): string => encodeURIComponent(text);

/** Of the newest message of a conversation, which is another one in each store. */
const receipts = (title: string, query: string): ScaleOperation =>
  asked(title, 'receipts', async ({ port }) => {
    const url = `http://127.0.0.1:${port}${operations.history.path}?${query}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${benchToken}` } });
    const [newest] = History.parse(await response.json()).messages;
    if (newest === undefined) throw new Error('the conversation has no message');
    return requestOf(benchToken, 'receipts', { id: newest.id });
  });

export const scaleOperations: readonly ScaleOperation[] = [
  asked('push', 'push', () =>
    Promise.resolve(requestOf(otherToken, 'push', {}, JSON.stringify({ body: `message ${'x'.repeat(80)}` }))),
  ),
  get('history of general', 'history', { query: 'limit=50' }),
  get('history of a busy channel', 'history', { query: `limit=50&channel=${busyChannel}` }),
  get('history of a quiet channel', 'history', { query: `limit=50&channel=${quietChannel}` }),
  get('history of a direct conversation', 'history', { query: `limit=50&with=${manager}` }),
  get('the oldest window of general', 'historyWindow', {
    query: 'limit=100&around=00000000-0000-7000-8000-000000000000',
  }),
  get('search of a common word', 'search', { query: `q=${commonWord}` }),
  get('search of a rare word', 'search', { query: `q=${rareWord}` }),
  get('search of two common words', 'search', { query: `q=${words(`${commonWord} team`)}` }),
  get('search of a phrase without a match', 'search', {
    query: `q=${words(`"${phraseWithoutMatch.join(' ')}"`)}`,
  }),
  get('search in one conversation', 'search', { query: `q=${commonWord}&in=dm:${manager}` }),
  get('unread of a member', 'unread'),
  byManager('unread of a manager', 'unread'),
  get('what asks for attention', 'attention'),
  get('where unread messages begin', 'unreadMarks', { query: 'scope=general' }),
  get('messages that wait for a runner', 'waiting'),
  receipts('receipts of a direct message', `limit=1&with=${member}`),
  receipts('receipts of a broadcast', 'limit=1'),
  get('briefing of a member', 'briefing'),
  byManager('briefing of a manager', 'briefing'),
  get('roster', 'roster'),
  get('roster, a page of 50', 'roster', { query: 'limit=50' }),
  get('members', 'members'),
  get('members, a page of 50', 'members', { query: 'limit=50' }),
  byManager('tokens of a member', 'tokens', { name: member }),
  get('channels', 'channels'),
  get('channels, a page of 10', 'channels', { query: 'limit=10' }),
  get('one channel', 'channel', { slug: 'channel-0' }),
  get('objectives, newest 50', 'objectives', { query: 'limit=50' }),
  get('objectives, all', 'objectives'),
  get('objectives, open', 'objectives', { query: 'status=active' }),
  get('objectives, newest 50 of an assignee', 'objectives', { query: `limit=50&assignee=${member}` }),
  get('one objective', 'objective', { id: objectiveId(1) }),
  byManager('ls of an own folder', 'listFiles', { query: `path=/${manager}/folder-0` }),
  byManager('ls of an own home', 'listFiles', { query: `path=/${manager}` }),
  byManager('ls of an own folder, a page of 20', 'listFiles', {
    query: `path=/${manager}/folder-0&limit=20`,
  }),
  byManager('facts of a file', 'statFile', { query: `path=/${manager}/folder-0/file-0.txt` }),
  get('ls of the root', 'listFiles', { query: 'path=/' }),
  get('ls of another home by grants', 'listFiles', { query: `path=/${manager}` }),
  byManager('ls of the root by a manager', 'listFiles', { query: 'path=/' }),
  get('files shared with a member', 'sharedFiles'),
  get('files shared with a member, a page of 10', 'sharedFiles', { query: 'limit=10' }),
  byManager('files shared with a manager', 'sharedFiles'),
  byManager('grants on a file', 'fileGrants', { query: `path=/${manager}/folder-0/file-0.txt` }),
  resumed('a stream of a member that missed 50 messages', member, otherToken),
  resumed('a stream of a manager that missed 50 messages', manager, benchToken),
  byManager('held posts', 'heldPosts'),
  byManager('audit, newest 50', 'audit'),
  byManager('audit, of a kind', 'audit', { query: 'kind=logout' }),
  byManager('audit, of a member without records', 'audit', { query: 'member=nobody' }),
  byAgent('activity, newest 200', 'activityRange', { name: agent }),
  byAgent('activity of an objective', 'activityRange', { name: agent, query: `objective=${objectiveId(1)}` }),
  byAgent('activity in short, newest 50', 'activitySummaries', { name: agent, query: 'limit=50' }),
  byAgent('transcript, newest 20', 'activityTranscript', { name: agent }),
  byAgent('activity of the team in short', 'teamActivity', { query: `member=${agent}` }),
  byAgent('usage of 30 days', 'activityUsage', { query: `member=${agent}` }),
];
