/** A team and its activity, for tests: ada and cy may read everybody's, all others their own. */
import type { ActivityEvent, ActivityRow } from '#protocol/activity.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { type StreamedTeam, startStreamedTeam } from './activity-streams.ts';

export const objectiveId = 'obj_0123456789';

export const opened = (ts: number, id = objectiveId) => ({ kind: 'objective_open', ts, objectiveId: id });
export const closed = (ts: number, id = objectiveId, result = 'done') => ({
  kind: 'objective_close',
  ts,
  objectiveId: id,
  result,
});

/** `text` is a preview in the entry. */
export const http = (ts: number, text = '', more: object = {}) => ({
  kind: 'opaque_http',
  ts,
  duration: 12.5,
  entry: {
    kind: 'opaque_http',
    startedAt: ts,
    endedAt: ts + 12,
    host: 'registry.example',
    method: 'GET',
    url: 'https://registry.example/x',
    status: 200,
    requestHeaders: { accept: '*/*' },
    responseHeaders: {},
    requestBodyPreview: null,
    responseBodyPreview: text,
    ...more,
  },
});

export const exchange = (ts: number, more: object = {}) => ({
  kind: 'llm_exchange',
  ts,
  duration: 900,
  entry: {
    kind: 'anthropic_messages',
    provider: 'anthropic',
    model: 'claude',
    startedAt: ts,
    endedAt: ts + 900,
    request: {
      system: null,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      tools: null,
      maxTokens: 100,
      temperature: null,
    },
    response: {
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'hello' }] }],
      stopReason: 'end_turn',
      status: null,
      usage: { inputTokens: 3, outputTokens: 2, cacheReadInputTokens: 0, cacheCreationInputTokens: null },
    },
    ...more,
  },
});

export interface ActivityTeam extends StreamedTeam {
  /** Returns the name of a member that has done nothing yet. */
  nextMember(): string;
  /** Returns the raw response to an upload of this body. */
  post(name: string, body: string | Uint8Array<ArrayBuffer>, contentType?: string): Promise<Response>;
  upload(name: string, events: object[]): Promise<number>;
  range(reader: string, name: string, query?: string): Promise<ActivityRow[]>;
}

export async function startActivityTeam(
  options: { onDisk?: boolean; clock?: Clock } = {},
): Promise<ActivityTeam> {
  const others = Array.from({ length: 60 }, (_, n) => [`m${n}`, []] as const);
  const team = await startStreamedTeam({
    ...options,
    members: { ada: ['admin'], ben: [], cy: ['observer'], dan: [], ...Object.fromEntries(others) },
  });
  let next = 0;
  return {
    ...team,
    nextMember: () => `m${next++}`,
    post: (name, body, contentType = 'application/json') =>
      team.broker.fetch(name, `/members/${name}/activity`, {
        method: 'POST',
        body,
        headers: { 'content-type': contentType },
      }),
    async upload(name, events) {
      const call = { params: { name }, body: { events: events as ActivityEvent[] } };
      return (await team.broker.as(name).call('uploadActivity', call)).accepted;
    },
    async range(reader, name, query = '') {
      const reply = await team.broker.fetch(reader, `/members/${name}/activity${query}`);
      if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
      return ((await reply.json()) as { activity: ActivityRow[] }).activity;
    },
  };
}
