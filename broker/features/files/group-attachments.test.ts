import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FsEntry, FsGrants } from '#protocol/files.ts';
import type { Message } from '#protocol/message.ts';
import type { Objective } from '#protocol/objective.ts';
import { startTestBroker } from '../../testing/test-broker.ts';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

let team: FileTeam;
beforeAll(async () => {
  team = await startFileTeam({
    onDisk: true,
    members: { ada: ['admin'], ora: ['objectives.create'], ben: [], cy: [], dee: [] },
  });
});
afterAll(() => team.stop());

const post = (by: string, path: string, body: unknown, method = 'POST') =>
  team.fetch(by, path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
async function create(attachments: string[], part: object = {}): Promise<Objective> {
  const body = { title: 'Ship', outcome: 'x', assignee: 'ben', attachments, ...part };
  const reply = await post('ora', '/objectives', body);
  if (reply.status !== 201) throw new Error(`creating answered ${reply.status}`);
  return (await reply.json()) as Objective;
}
const discuss = (by: string, id: string, ...attachments: string[]) =>
  post(by, `/objectives/${id}/discuss`, { body: 'see', attachments });
const changeWatchers = (id: string, patch: object) =>
  post('ora', `/objectives/${id}/watchers`, patch, 'PATCH');
const readers = async (path: string) => {
  const statuses: string[] = [];
  for (const name of ['ada', 'ora', 'ben', 'cy', 'dee']) {
    const reply = await team.get(name, path);
    await reply.body?.cancel();
    if (reply.status === 200) statuses.push(name);
    else expect(reply.status).toBe(403);
  }
  return statuses;
};
const sharedWith = async (name: string) => {
  const { entries } = (await (await team.ask(name, 'shared', '/')).json()) as { entries: FsEntry[] };
  return entries.map(({ path }) => path);
};
const grantsOn = async (by: string, path: string) =>
  ((await (await team.ask(by, 'grants', path)).json()) as FsGrants).grants;

describe('attachments of an objective', () => {
  it('grant read access to present and later thread members, and to nobody else', async () => {
    await team.write('ora', '/ora/plan/a.txt', 'the plan');
    const objective = await create(['/ora/plan/a.txt', '/ora/plan/a.txt'], { watchers: ['cy'] });
    expect(objective.attachments).toEqual(['/ora/plan/a.txt']);
    expect(await readers('/ora/plan/a.txt')).toEqual(['ada', 'ora', 'ben', 'cy']);
    await changeWatchers(objective.id, { add: ['dee'], remove: ['cy'] });
    expect(await readers('/ora/plan/a.txt')).toEqual(['ada', 'ora', 'ben', 'dee']);
    await post('ada', `/objectives/${objective.id}/reassign`, { to: 'cy' });
    expect(await readers('/ora/plan/a.txt')).toEqual(['ada', 'ora', 'cy', 'dee']);
    await post('ora', `/objectives/${objective.id}/cancel`, {});
    expect(await readers('/ora/plan/a.txt')).toEqual(['ada', 'ora', 'cy', 'dee']);
  });

  it('appear in /fs/shared, in the way to them, and in /fs/grants with the objective', async () => {
    await team.write('ora', '/ora/deep/er/b.txt', 'x');
    const { id, createdAt } = await create(['/ora/deep/er/b.txt'], { assignee: 'ben', watchers: ['cy'] });
    for (const name of ['ben', 'cy']) {
      expect(await sharedWith(name)).toContain('/ora/deep/er/b.txt');
      expect(await team.names(name, '/')).toContain('ora/');
      expect(await team.names(name, '/ora/deep')).toEqual(['er/']);
      expect(await team.names(name, '/ora/deep/er')).toEqual(['b.txt']);
    }
    expect(await sharedWith('dee')).not.toContain('/ora/deep/er/b.txt');
    expect((await team.ask('dee', 'ls', '/ora/deep')).status).toBe(403);
    const why = { messageId: null, objectiveId: id, grantedAt: createdAt };
    expect(await grantsOn('ora', '/ora/deep/er/b.txt')).toEqual([
      { member: 'ben', ...why },
      { member: 'cy', ...why },
      { member: 'ada', ...why },
    ]);
  });

  it('must be readable by the caller: 404 for its own missing file, 400 for a directory, 403 for anything foreign, and nothing is created', async () => {
    await team.write('dee', '/dee/secret.txt', 'x');
    await team.write('ora', '/ora/dir/c.txt', 'x');
    const count = async () => (await team.as('ora').call('objectives', { query: {} })).objectives.length;
    const before = await count();
    const statuses = [];
    for (const path of ['/ora/none.txt', '/ora/dir', '/dee/secret.txt', '/dee/none.txt']) {
      const body = { title: 'x', outcome: 'y', assignee: 'ben', attachments: [path] };
      statuses.push((await post('ora', '/objectives', body)).status);
    }
    expect(statuses).toEqual([404, 400, 403, 403]);
    expect(await count()).toBe(before);
  });
});

describe('attachments of a discussion', () => {
  it('grant read access to the thread, with the message as the reason', async () => {
    await team.write('ben', '/ben/draft.txt', 'x');
    const { id } = await create([]);
    const message = (await (await discuss('ben', id, '/ben/draft.txt')).json()) as Message;
    expect(message.attachments).toEqual(['/ben/draft.txt']);
    expect(await readers('/ben/draft.txt')).toEqual(['ada', 'ora', 'ben']);
    const why = { messageId: message.id, objectiveId: id, grantedAt: message.ts };
    expect(await grantsOn('ben', '/ben/draft.txt')).toEqual([
      { member: 'ora', ...why },
      { member: 'ada', ...why },
    ]);
  });

  it('that the sender may not read are 403, and nothing is posted', async () => {
    await team.write('dee', '/dee/other.txt', 'x');
    const { id } = await create([]);
    expect((await discuss('ben', id, '/dee/other.txt')).status).toBe(403);
    expect((await discuss('ben', id, '/ben/none.txt')).status).toBe(404);
    expect((await team.as('ben').call('history', { query: { objective: id } })).messages).toHaveLength(1);
  });

  it('may be what the thread itself shared, and be passed on to another thread', async () => {
    await team.write('ora', '/ora/on.txt', 'x');
    const first = await create(['/ora/on.txt']);
    const second = await create([], { assignee: 'ben', watchers: ['dee'] });
    expect((await discuss('ben', second.id, '/ora/on.txt')).status).toBe(200);
    expect(await readers('/ora/on.txt')).toEqual(['ada', 'ora', 'ben', 'dee']);
    expect(first.id).not.toBe(second.id);
  });
});

describe('attachments of channel posts', () => {
  it('grant read access to members at the time and later, and not to those who left', async () => {
    await post('ben', '/channels', { slug: 'paint' });
    const { channel } = (await (await team.fetch('ben', '/channels/paint')).json()) as {
      channel: { id: string };
    };
    await team.write('ben', '/ben/color.txt', 'green');
    const body = { body: 'see', data: { thread: `chan:${channel.id}` }, attachments: ['/ben/color.txt'] };
    expect((await post('ben', '/push', body)).status).toBe(200);
    expect(await readers('/ben/color.txt')).toEqual(['ada', 'ben']);
    await post('cy', '/channels/paint/members', { member: 'cy' });
    expect(await readers('/ben/color.txt')).toEqual(['ada', 'ben', 'cy']);
    expect(await sharedWith('cy')).toContain('/ben/color.txt');
    expect((await grantsOn('ben', '/ben/color.txt')).map(({ member }) => member)).toEqual(['cy']);
    await team.fetch('cy', '/channels/paint/members/cy', { method: 'DELETE' });
    expect(await readers('/ben/color.txt')).toEqual(['ada', 'ben']);
  });
});

describe('a broker without a files block', () => {
  it('refuses attachments as missing or unreadable', async () => {
    const other = await startTestBroker();
    try {
      const send = (path: string) =>
        other.fetch('cy', '/objectives', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            title: 'x',
            outcome: 'y',
            assignee: 'ben',
            attachments: [path],
          }),
        });
      expect((await send('/cy/a')).status).toBe(404);
      expect((await send('/ben/a')).status).toBe(403);
    } finally {
      await other.stop();
    }
  });
});
