/**
 * A body may take longer to arrive than the credential, the permission, or the membership lasts that admitted
 * its request.
 */
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({
    members: { ada: ['admin'], ben: ['operator'], cy: [], dan: ['admin'] },
    config: { files: { root: 'files' } },
  });
});
afterEach(() => team.stop());

interface SlowRequest {
  /** Sends the rest of the body. Returns the status of the reply. */
  finish: () => Promise<number>;
}

/**
 * Sends a request except the last byte of its body. Resolves when the broker has received all that was sent.
 */
async function begin(
  by: string,
  method: string,
  path: string,
  content: string,
  type = 'application/json',
): Promise<SlowRequest> {
  const socket: Socket = connect(Number(new URL(team.url).port), '127.0.0.1');
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${team.token(by)}`,
    `content-type: ${type}`,
    `content-length: ${Buffer.byteLength(content)}`,
    'expect: 100-continue',
    'connection: close',
  ].join('\r\n');
  let text = '';
  let look: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    look();
  });
  await new Promise<void>((resolve, reject) => {
    look = () => {
      if (text.includes('100 Continue')) resolve();
    };
    socket.on('error', reject).write(`${head}\r\n\r\n`);
  });
  text = '';
  // The gate has admitted it before its first byte of body.
  await new Promise<void>((resolve) => socket.write(content.slice(0, -1), () => resolve()));
  await team.fetch('ada', '/roster');
  return {
    async finish() {
      socket.write(content.slice(-1));
      await ended;
      return Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]);
    },
  };
}

const call = (by: string, method: string, path: string, body?: object): Promise<Response> =>
  team.fetch(by, path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });

async function objectiveOfCy(): Promise<string> {
  const body = { title: 't', outcome: 'o', assignee: 'cy', watchers: ['ben'] };
  return (await team.as('ada').call('createObjective', { body })).id;
}

const post = JSON.stringify({ body: 'from beyond' });

/** The requests of the attempts, none of which may have an effect. */
const attempts: [
  string,
  (id: string) => [by: string, method: string, path: string, body: string, type?: string],
][] = [
  ['a post', () => ['ben', 'POST', '/push', post]],
  [
    'an objective',
    () => ['ben', 'POST', '/objectives', JSON.stringify({ title: 'late', outcome: 'o', assignee: 'ada' })],
  ],
  ['a cancellation', (id) => ['ben', 'POST', `/objectives/${id}/cancel`, '{"reason":"late"}']],
  ['watchers', (id) => ['ben', 'PATCH', `/objectives/${id}/watchers`, '{"remove":["ben"]}']],
  ['a discussion', (id) => ['ben', 'POST', `/objectives/${id}/discuss`, post]],
  ['a channel', () => ['ben', 'POST', '/channels', '{"slug":"late"}']],
  ['a file', () => ['ben', 'POST', '/fs/write?path=/ben/late.txt', 'content', 'text/plain']],
  [
    'activity',
    () => [
      'ben',
      'POST',
      '/members/ben/activity',
      '{"events":[{"kind":"objective_open","ts":1,"objectiveId":"obj_0123456789"}]}',
    ],
  ],
];

/** Returns everything that others see of the attempts. */
async function traces(id: string): Promise<unknown> {
  const ada = team.as('ada');
  const { messages } = await ada.call('history', { query: {} });
  const { objectives } = await ada.call('objectives', { query: {} });
  const { channels } = await ada.call('channels', {});
  const { events } = await ada.call('objective', { params: { id } });
  const file = await team.fetch('ada', '/fs/read/ben/late.txt');
  return {
    messages: messages.map(({ body }) => body),
    titles: objectives.map(({ title }) => title),
    slugs: channels.map(({ slug }) => slug),
    kinds: events.map(({ kind, actor }) => `${kind} by ${actor}`),
    file: file.status,
  };
}

describe('a body that is still arriving', () => {
  for (const [what, attempt] of attempts) {
    it(`is refused if the token was revoked in the meantime: ${what}`, async () => {
      const id = await objectiveOfCy();
      const before = await traces(id);
      const slow = await begin(...attempt(id));
      const { tokens } = await team.as('ada').call('tokens', { params: { name: 'ben' } });
      for (const token of tokens) await call('ada', 'DELETE', `/members/ben/tokens/${token.id}`);
      expect(await slow.finish()).toBe(401);
      expect(await traces(id)).toEqual(before);
    });
  }

  it('is refused if its sender was removed in the meantime', async () => {
    const slow = await Promise.all(attempts.slice(0, 2).map(([, attempt]) => begin(...attempt(''))));
    expect((await call('ada', 'DELETE', '/members/ben')).status).toBe(204);
    for (const one of slow) expect(await one.finish()).toBe(401);
  });

  it('is judged by the permissions that its sender has when it is complete', async () => {
    const id = await objectiveOfCy();
    const slow = await Promise.all([
      begin('ben', 'POST', '/objectives', JSON.stringify({ title: 'late', outcome: 'o', assignee: 'ada' })),
      begin('ben', 'POST', `/objectives/${id}/cancel`, '{"reason":"late"}'),
      begin('dan', 'PATCH', '/team', '{"directive":"late"}'),
      begin('dan', 'POST', `/objectives/${id}/reassign`, '{"to":"ada"}'),
      begin(
        'dan',
        'POST',
        '/members',
        JSON.stringify({ name: 'eve', role: { title: 'x' }, permissions: ['admin'] }),
      ),
      begin('dan', 'PATCH', '/members/cy', '{"permissions":["admin"]}'),
    ]);
    for (const name of ['ben', 'dan']) await call('ada', 'PATCH', `/members/${name}`, { permissions: [] });
    for (const one of slow) expect(await one.finish()).toBe(403);
    const { members } = await team.as('ada').call('members', {});
    expect(members.map(({ name }) => name)).toEqual(['ada', 'ben', 'cy', 'dan']);
    expect(members[2]?.permissions).toEqual([]);
  });
});
