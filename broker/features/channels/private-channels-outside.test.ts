import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { channelRequests } from './testing/channel-requests.ts';

/** One place, and all that names it. */
interface Place {
  slug: string;
  id: string;
  /** A message of somebody else, one of eve, and a file that is shared there. */
  message: string;
  own: string;
  path: string;
}

type Walk = (place: Place) => { params?: Record<string, string>; query?: string; body?: unknown }[];

const messageOf = ({ message, own }: Place): string[] => [message, own];
const files: Walk = ({ path }) => [{ query: `?path=${path}` }];
const ids =
  (more: object = {}): Walk =>
  (place) =>
    messageOf(place).map((id) => ({ params: { id }, ...more }));

/** The requests of each operation that can name a channel, one of its messages, or a file that is shared in it. */
const walks: Partial<Record<OperationId, Walk>> = {
  channels: ({ slug }) => [{ query: `?after=${slug}` }],
  channel: ({ slug }) => [{ params: { slug } }],
  renameChannel: ({ slug }) => [
    { params: { slug }, body: { slug: 'other' } },
    { params: { slug }, body: { slug: 'general' } },
    { params: { slug }, body: { private: false } },
    { params: { slug }, body: {} },
  ],
  archiveChannel: ({ slug }) => [{ params: { slug } }],
  joinChannel: ({ slug }) =>
    ['dan', 'eve', 'ben', 'nobody'].flatMap((member) => [
      { params: { slug }, body: { member } },
      { params: { slug }, body: { member, role: 'admin' } },
    ]),
  leaveChannel: ({ slug }) => ['dan', 'eve', 'ben', 'nobody'].map((name) => ({ params: { slug, name } })),
  push: ({ id, message, own, path }) => [
    { body: { body: 'x', data: { thread: `chan:${id}` } } },
    { body: { body: 'x', data: { thread: `chan:${id}` }, inReplyTo: message } },
    { body: { body: 'x', to: 'ada', inReplyTo: message } },
    { body: { body: 'x', to: 'ada', inReplyTo: own } },
    { body: { body: 'x', to: 'ada', attachments: [path] } },
  ],
  discussObjective: ({ message, own, path }) => [
    { params: { id: objective }, body: { body: 'x', inReplyTo: message } },
    { params: { id: objective }, body: { body: 'x', inReplyTo: own } },
    { params: { id: objective }, body: { body: 'x', attachments: [path] } },
  ],
  updateObjective: ({ path }) => [{ params: { id: objective }, body: { attachments: [path] } }],
  history: ({ id }) => [{ query: `?channel=${id}` }],
  historyWindow: ({ id, message }) => [
    { query: `?channel=${id}&around=${message}` },
    { query: `?channel=${id}&after=${message}` },
    { query: `?around=${message}` },
    { query: `?after=${message}` },
  ],
  editMessage: ids({ body: { body: 'another text' } }),
  deleteMessage: ids(),
  receipts: ids(),
  reportEvidence: ids({ body: { state: 'accepted', at: 1 } }),
  reportRead: ({ id, ...place }) =>
    messageOf({ id, ...place }).flatMap((upTo) => [
      { body: { scope: `chan:${id}`, upTo } },
      { body: { scope: 'general', upTo } },
    ]),
  markUnread: ({ id, ...place }) =>
    messageOf({ id, ...place }).flatMap((from) => [
      { body: { scope: `chan:${id}`, from } },
      { body: { scope: 'general', from } },
    ]),
  unreadMarks: ({ id }) => [{ query: `?scope=chan:${id}` }],
  search: ({ id }) => [{ query: `?q=word&in=chan:${id}` }, { query: `?q=word&in=chan:${id}&limit=1` }],
  listFiles: files,
  statFile: files,
  readFile: ({ path }) => [{ params: { '*': path.slice(1) } }],
  fileGrants: files,
  removeFile: files,
  moveFile: ({ path }) => [{ body: { from: path, to: '/dan/taken' } }],
  updateRetention: ({ id }) => [
    { body: { channels: { [id]: { days: 90 } } } },
    { body: { hold: { on: `chan:${id}`, reason: 'x' } } },
  ],
};

/** Names by which an operation can name a channel, a message, or a file of somebody else. */
const telling = new Set([
  ...['slug', 'scope', 'channel', 'channels', 'in', 'around', 'inReplyTo', 'upTo', 'causes', 'thread'],
  ...['attachments', 'path', 'from', 'hold', 'data'],
]);
/** Operations with such a name that means something else, or that answer alike for every value. */
const unrelated: Partial<Record<OperationId, string>> = {
  createChannel: 'says that the slug is taken, as for any channel (specification/channels.md)',
  createObjective: 'is for members with objectives.create; its attachments are checked as those of a push',
  completeObjective: 'is checked as updateObjective is',
  writeFile: 'writes in an own home only',
  makeDirectory: 'writes in an own home only',
  activityRange: '`from` is a time',
  activitySummaries: '`from` is a time',
  activityUsage: '`from` is a time',
  uploadActivity: 'stores what its caller sent',
};

const namesOf = ({ path, params, query, body }: Operation): string[] =>
  [params, query, body]
    .flatMap((schema) => {
      if (schema === undefined) return [];
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      const shapes = [json, ...(json.anyOf ?? []), ...(json.oneOf ?? [])];
      return shapes.flatMap((one) => Object.keys(typeof one === 'object' ? (one.properties ?? {}) : {}));
    })
    .concat(path.startsWith('/messages/:id') ? ['scope'] : []);

let team: TestBroker;
let objective: string;
let secret: Place;
let unknown: Place;
const { send, post, add, leave } = channelRequests(() => team);
const word = 'word that only insiders know';

/** An id that nothing has and that is at the same place in the order of acceptance. */
const beside = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

beforeAll(async () => {
  team = await startTestBroker({
    onDisk: true,
    members: { ada: ['members.manage', 'objectives.create'], ben: [], dan: [], eve: [] },
    config: { files: { root: 'files' } },
  });
  const { body: channel } = await send('ben', 'POST', '/channels', { slug: 'vault-9', private: true });
  await add('ben', 'vault-9', 'eve');
  await team.fetch('ben', '/fs/write?path=/ben/plan.txt', { method: 'POST', body: word });
  await team.fetch('ben', '/fs/write?path=/ben/hidden.txt', { method: 'POST', body: word });
  const data = { thread: `chan:${channel.id}` };
  const push = (by: string, more = {}) => send(by, 'POST', '/push', { body: word, data, ...more });
  const { message } = (await push('ben', { attachments: ['/ben/plan.txt'] })).body;
  const { message: own } = (await push('eve')).body;
  await leave('ben', 'vault-9', 'eve');
  await post('ben', channel.id, `@eve @dan a later ${word}`);
  secret = { slug: 'vault-9', id: channel.id, message: message.id, own: own.id, path: '/ben/plan.txt' };
  unknown = {
    slug: 'vault-8',
    id: 'ch_0000000000',
    message: beside(message.id),
    own: beside(own.id),
    path: '/ben/hidden.txt',
  };
  for (const assignee of ['dan', 'eve'])
    objective = (await send('ada', 'POST', '/objectives', { title: 'x', outcome: 'y', assignee })).body.id;
  await send('ada', 'POST', `/objectives/${objective}/watchers`, { add: ['dan'] });
});
afterAll(() => team.stop());

/** The answers to a walk, with the names of the place replaced, so that two places can be compared. */
async function answers(id: OperationId, by: string, place: Place) {
  const { method, path } = operations[id];
  const got: unknown[] = [];
  for (const { params = {}, query = '', body } of walks[id]?.(place) ?? []) {
    const url = Object.entries(params).reduce(
      (text, [name, value]) => text.replace(name === '*' ? '*' : `:${name}`, value),
      path as string,
    );
    const { status, body: answer } = await send(by, method, url + query, body);
    let text = JSON.stringify(answer) ?? '';
    for (const [name, value] of Object.entries(place)) text = text.replaceAll(value, `<${name}>`);
    got.push({ request: { ...params, query, body }, status, text });
  }
  return got;
}

it('walks through every operation that can name a channel, a message, or a file', () => {
  const unwalked = Object.entries(operations).filter(
    ([id, operation]) =>
      !(id in walks) && !(id in unrelated) && namesOf(operation).some((name) => telling.has(name)),
  );
  expect(unwalked.map(([id]) => id)).toEqual([]);
});

const masked = (got: unknown[]) => got.map((one) => ({ ...(one as object), request: null }));

describe.each(['dan', 'eve'])('to %s, who is outside,', (name) => {
  it.each(Object.keys(walks) as OperationId[])('%s answers as for an unknown channel', async (id) => {
    const ofSecret = masked(await answers(id, name, secret));
    expect(ofSecret).toEqual(masked(await answers(id, name, unknown)));
    expect(ofSecret.length).toBeGreaterThan(0);
  });

  it('no list has anything of the channel', async () => {
    const lists = (Object.entries(operations) as [OperationId, Operation][]).filter(
      ([, { method, path, reply }]) => method === 'GET' && !/[:*]/.test(path) && reply !== 'stream',
    );
    for (const [id, { path }] of lists) {
      const query = { search: '?q=word', fileGrants: '?path=/ben', listFiles: '?path=/' }[id as string] ?? '';
      const reply = await team.fetch(name, path + query);
      const text = await reply.text();
      for (const value of [secret.slug, secret.id, secret.message, secret.path, 'insiders'])
        expect([id, text.includes(value) && value]).toEqual([id, false]);
    }
  });
});

describe('a manager who is outside', () => {
  it('reads nothing before joining, which the members see', async () => {
    const { id, message } = secret;
    const paths = [`/history?channel=${id}`, `/unread/marks?scope=chan:${id}`];
    for (const path of paths) expect((await send('ada', 'GET', path)).body.error).toBe('forbidden');
    expect((await post('ada', id, 'x')).status).toBe(403);
    expect((await send('ada', 'GET', '/search?q=word')).body.results).toEqual([]);
    const read = { scope: `chan:${id}`, upTo: message };
    expect((await send('ada', 'POST', '/messages/read', read)).status).toBe(404);
    expect((await send('ada', 'GET', '/channels/vault-9')).body.channel).toMatchObject({
      private: true,
      joined: false,
    });
  });
});

it('changes nothing for those who are in it', async () => {
  expect((await send('ben', 'GET', `/history?channel=${secret.id}`)).body.messages).toHaveLength(3);
  const { body } = await send('ben', 'GET', '/channels/vault-9');
  expect(body.members).toEqual([expect.objectContaining({ member: 'ben', role: 'admin' })]);
});
