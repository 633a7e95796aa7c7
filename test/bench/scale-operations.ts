/** What a large store is asked over HTTP (scale.ts). The team is that of test/scale/team-shape.ts. */
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
  measure: (server: Measurable, span: Span) => Promise<RequestsMeasured>;
  /** The request, if that is all it takes. */
  request: string | null;
}

const asked = (title: string, whole: string): ScaleOperation => ({
  title,
  measure: (server, span) => measureRequests(server, { connections: 1, request: whole, ...span }),
  request: whole,
});

const resumed = (title: string, name: string, token: string): ScaleOperation => ({
  title,
  measure: (server, span) => measureResumes(server, { member: name, token, missed: 50, ...span }),
  request: null,
});

function request(token: string, line: string, body = ''): string {
  const content = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${content}\r\n${body}`;
}

const get = (title: string, path: string, token = otherToken): ScaleOperation =>
  asked(title, request(token, `GET ${path}`));
const byManager = (title: string, path: string): ScaleOperation => get(title, path, benchToken);
const byAgent = (title: string, path: string): ScaleOperation => get(title, path, tokenOf(agent));
const words = (text: string): string => encodeURIComponent(text);

export const scaleOperations: readonly ScaleOperation[] = [
  asked('push', request(otherToken, 'POST /push', JSON.stringify({ body: `message ${'x'.repeat(80)}` }))),
  get('history of general', '/history?limit=50'),
  get('history of a busy channel', `/history?limit=50&channel=${busyChannel}`),
  get('history of a quiet channel', `/history?limit=50&channel=${quietChannel}`),
  get('history of a direct conversation', `/history?limit=50&with=${manager}`),
  get('search of a common word', `/search?q=${commonWord}`),
  get('search of a rare word', `/search?q=${rareWord}`),
  get('search of two common words', `/search?q=${words(`${commonWord} team`)}`),
  get('search of a phrase without a match', `/search?q=${words(`"${phraseWithoutMatch.join(' ')}"`)}`),
  get('search in one conversation', `/search?q=${commonWord}&in=dm:${manager}`),
  get('unread of a member', '/unread'),
  byManager('unread of a manager', '/unread'),
  get('messages that wait for a runner', '/messages/waiting'),
  get('briefing of a member', '/briefing'),
  byManager('briefing of a manager', '/briefing'),
  get('roster', '/roster'),
  get('members', '/members'),
  get('channels', '/channels'),
  get('one channel', '/channels/channel-0'),
  get('objectives, newest 50', '/objectives?limit=50'),
  get('objectives, all', '/objectives'),
  get('objectives, open', '/objectives?status=active'),
  get('objectives, newest 50 of an assignee', `/objectives?limit=50&assignee=${member}`),
  get('one objective', `/objectives/${objectiveId(1)}`),
  byManager('ls of an own folder', `/fs/ls?path=/${manager}/folder-0`),
  byManager('ls of an own home', `/fs/ls?path=/${manager}`),
  get('ls of the root', '/fs/ls?path=/'),
  get('ls of another home by grants', `/fs/ls?path=/${manager}`),
  byManager('ls of the root by a manager', '/fs/ls?path=/'),
  get('files shared with a member', '/fs/shared'),
  byManager('files shared with a manager', '/fs/shared'),
  byManager('grants on a file', `/fs/grants?path=/${manager}/folder-0/file-0.txt`),
  resumed('a stream of a member that missed 50 messages', member, otherToken),
  resumed('a stream of a manager that missed 50 messages', manager, benchToken),
  byManager('held posts', '/held'),
  byManager('audit, newest 50', '/audit'),
  byManager('audit, of a kind', '/audit?kind=logout'),
  byManager('audit, of a member without records', '/audit?member=nobody'),
  byAgent('activity, newest 200', `/members/${agent}/activity`),
  byAgent('activity of an objective', `/members/${agent}/activity?objective=${objectiveId(1)}`),
  byAgent('usage of 30 days', `/activity/usage?member=${agent}`),
];
