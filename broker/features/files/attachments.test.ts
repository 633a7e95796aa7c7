import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FsEntry, FsGrants } from '#protocol/files.ts';
import type { PushResult } from '#protocol/message.ts';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

let team: FileTeam;
beforeAll(async () => {
  team = await startFileTeam({ onDisk: true, members: { ada: ['admin'], ben: [], cy: [], dee: [] } });
});
afterAll(() => team.stop());

const json = { 'content-type': 'application/json' };
const statusOf = async (reply: Promise<Response>) => (await reply).status;
const grantsOn = async (path: string) =>
  ((await (await team.ask('ada', 'grants', path)).json()) as FsGrants).grants;
const sharedWith = async (member: string) =>
  ((await (await team.ask(member, 'shared', '/')).json()) as { entries: FsEntry[] }).entries.map(
    ({ path }) => path,
  );
const reads = async (member: string, path: string) => {
  const reply = await team.get(member, path);
  await reply.text();
  return reply.status;
};

async function addMember(name: string): Promise<(path: string) => Promise<Response>> {
  const body = JSON.stringify({ name, role: { title: 'x' }, permissions: [] });
  const made = await team.fetch('ada', '/members', { method: 'POST', headers: json, body });
  const { token } = (await made.json()) as { token: string };
  return (path) => fetch(team.url + path, { headers: { authorization: `Bearer ${token}` } });
}

describe('an attachment', () => {
  it('of a direct message lets its recipient read exactly that file, and nobody else', async () => {
    await team.write('ben', '/ben/dm/a.txt', 'for cy');
    await team.write('ben', '/ben/dm/b.txt', 'private');
    expect(await reads('cy', '/ben/dm/a.txt')).toBe(403);
    const reply = await team.share('ben', 'cy', '/ben/dm/a.txt');
    const { message } = (await reply.json()) as PushResult;
    expect(message.attachments).toEqual(['/ben/dm/a.txt']);
    const { messages } = await team.as('cy').call('history', { query: { with: 'ben' } });
    expect(messages[0]).toEqual(message);
    expect(await (await team.get('cy', '/ben/dm/a.txt')).text()).toBe('for cy');
    expect(await reads('cy', '/ben/dm/b.txt')).toBe(403);
    expect(await reads('dee', '/ben/dm/a.txt')).toBe(403);
    expect(await grantsOn('/ben/dm/a.txt')).toEqual([
      { member: 'cy', messageId: message.id, objectiveId: null, grantedAt: message.ts },
    ]);
  });

  it('of a broadcast lets every member read it, later members included, with one row for all of them', async () => {
    await team.write('ben', '/ben/all.txt', 'for all');
    const { message } = (await (await team.share('ben', null, '/ben/all.txt')).json()) as PushResult;
    expect(await reads('dee', '/ben/all.txt')).toBe(200);
    const later = await addMember('fay');
    expect((await later('/fs/read/ben/all.txt')).status).toBe(200);
    const why = { messageId: message.id, objectiveId: null, grantedAt: message.ts };
    expect(await grantsOn('/ben/all.txt')).toEqual(
      ['ada', 'cy', 'dee', 'fay'].map((member) => ({ member, ...why })),
    );
    await team.share('ben', null, '/ben/all.txt');
    expect(await grantsOn('/ben/all.txt')).toHaveLength(4);
  });

  it('is listed once however often it is named, by its path without a trailing slash', async () => {
    await team.write('ben', '/ben/once', 'x');
    const reply = await team.share('ben', 'cy', '/ben/once', '/ben/once/', '/ben/once');
    expect(((await reply.json()) as PushResult).message.attachments).toEqual(['/ben/once']);
  });

  it('reaches streams with the message, and the file can then be read', async () => {
    const stream = await team.stream('cy');
    await team.write('ben', '/ben/live.txt', 'live');
    await team.share('ben', 'cy', '/ben/live.txt');
    await stream.until((frames) => frames.some(({ event }) => event === 'message'));
    const [path = ''] = stream.messages()[0]?.attachments ?? [];
    expect(await (await team.get('cy', path)).text()).toBe('live');
    stream.close();
  });

  it.each([
    ['one’s own missing file', 'ben', '/ben/none', 404, 'attachment_not_found'],
    ['one’s own directory', 'ben', '/ben/dm', 400, 'attachment_is_directory'],
    ['one’s own home', 'ben', '/ben', 400, 'attachment_is_directory'],
    ['a foreign file', 'dee', '/ben/dm/b.txt', 403, 'attachment_unreadable'],
    ['a foreign directory', 'dee', '/ben/dm', 403, 'attachment_unreadable'],
    ['what does not exist in a foreign home', 'dee', '/ben/none', 403, 'attachment_unreadable'],
    ['what leads to a granted file', 'cy', '/ben/dm', 403, 'attachment_unreadable'],
    ['the root', 'dee', '/', 403, 'attachment_unreadable'],
    ['a manager’s look at what is missing', 'ada', '/ben/none', 404, 'attachment_not_found'],
  ])(
    'that is %s is refused; nothing is sent and nothing granted',
    async (_, sender, path, status, reason) => {
      const before = await team.as('ada').call('history', { query: {} });
      await team.write(sender, `/${sender}/fine`, 'x', { collide: 'overwrite' });
      const reply = await team.share(sender, null, `/${sender}/fine`, path);
      expect([reply.status, await reply.json()]).toMatchObject([status, { reason }]);
      expect(await team.as('ada').call('history', { query: {} })).toEqual(before);
      expect(await grantsOn(`/${sender}/fine`)).toEqual([]);
    },
  );

  it.each([['no path'], ['/ben/../ada/x'], ['/ben//x'], ['/ben/c\u0327']])('%j is 400', async (path) => {
    expect(await statusOf(team.share('ben', null, path))).toBe(400);
  });

  it('may be a file that was shared with the sender, who thereby passes it on', async () => {
    await team.write('ben', '/ben/chain', 'x');
    await team.share('ben', 'cy', '/ben/chain');
    expect(await statusOf(team.share('cy', 'dee', '/ben/chain'))).toBe(200);
    expect(await reads('dee', '/ben/chain')).toBe(200);
  });

  it('is granted once under an Idempotency-Key, also if the file is gone by the repeat', async () => {
    await team.write('ben', '/ben/keyed', 'x');
    const body = JSON.stringify({ to: 'cy', body: 'x', attachments: ['/ben/keyed'] });
    const send = () =>
      team.fetch('ben', '/push', { method: 'POST', body, headers: { ...json, 'idempotency-key': 'k' } });
    const first = await (await send()).json();
    await team.ask('ben', 'rm', '/ben/keyed');
    const again = await send();
    expect([again.status, await again.json()]).toEqual([200, first]);
  });
});

describe('a grant', () => {
  it('stays when the file is overwritten, follows it when it moves, and ends with it', async () => {
    await team.write('ben', '/ben/life', '1');
    await team.share('ben', 'cy', '/ben/life');
    await team.write('ben', '/ben/life', '2', { collide: 'overwrite' });
    expect(await (await team.get('cy', '/ben/life')).text()).toBe('2');
    await team.post('ben', 'mv', { from: '/ben/life', to: '/ben/moved' });
    expect(await (await team.get('cy', '/ben/moved')).text()).toBe('2');
    expect(await reads('cy', '/ben/life')).toBe(403);
    await team.write('ben', '/ben/life', 'another file');
    expect(await reads('cy', '/ben/life')).toBe(403);
    await team.ask('ben', 'rm', '/ben/moved');
    await team.write('ben', '/ben/moved', 'another file');
    expect(await reads('cy', '/ben/moved')).toBe(403);
  });

  it('allows reading, not writing', async () => {
    await team.write('ben', '/ben/read-only', 'x');
    await team.share('ben', 'cy', '/ben/read-only');
    expect(await statusOf(team.put('cy', '/ben/read-only', 'y', { collide: 'overwrite' }))).toBe(403);
    expect(await statusOf(team.ask('cy', 'rm', '/ben/read-only'))).toBe(403);
    expect(await statusOf(team.post('cy', 'mv', { from: '/ben/read-only', to: '/cy/mine' }))).toBe(403);
    expect(await statusOf(team.ask('cy', 'grants', '/ben/read-only'))).toBe(403);
    expect(await statusOf(team.ask('ben', 'grants', '/ben/read-only'))).toBe(200);
  });

  it('survives a restart', async () => {
    await team.write('ben', '/ben/lasting', 'x');
    await team.share('ben', 'cy', '/ben/lasting');
    await team.restart();
    expect(await reads('cy', '/ben/lasting')).toBe(200);
  });

  it('ends with its recipient; the files of a removed member stay for managers and grantees', async () => {
    const asGus = await addMember('gus');
    await team.write('ada', '/gus/legacy', 'legacy');
    await team.write('ada', '/gus/unshared', 'x');
    await team.share('ada', 'cy', '/gus/legacy');
    await team.write('ben', '/ben/for-gus', 'x');
    await team.share('ben', 'gus', '/ben/for-gus');
    expect((await asGus('/fs/read/ben/for-gus')).status).toBe(200);
    expect(await grantsOn('/ben/for-gus')).toHaveLength(1);
    expect(await statusOf(team.fetch('ada', '/members/gus', { method: 'DELETE' }))).toBe(204);
    expect(await grantsOn('/ben/for-gus')).toEqual([]);
    expect(await (await team.get('cy', '/gus/legacy')).text()).toBe('legacy');
    expect(await reads('cy', '/gus/unshared')).toBe(403);
    expect(await reads('ada', '/gus/unshared')).toBe(200);
    expect(await team.names('ada', '/')).toContain('gus/');
    expect(await team.names('cy', '/')).toContain('gus/');
  });
});

describe('the view of a member with a grant', () => {
  it('is the way to the files that are shared with it, and nothing beside it', async () => {
    for (const path of [
      '/dee/one/deep/file',
      '/dee/one/deep/other',
      '/dee/one/side',
      '/dee/one-0',
      '/dee/one0',
    ])
      await team.write('dee', path, path);
    await team.share('dee', 'ben', '/dee/one/deep/file', '/dee/one0');
    expect(await team.names('ben', '/')).toContain('dee/');
    expect(await team.names('ben', '/dee')).toEqual(['one/', 'one0']);
    expect(await team.names('ben', '/dee/one')).toEqual(['deep/']);
    expect(await team.names('ben', '/dee/one/deep')).toEqual(['file']);
    for (const path of ['/dee', '/dee/one', '/dee/one/deep', '/dee/one/deep/file'])
      expect([path, await statusOf(team.ask('ben', 'stat', path))]).toEqual([path, 200]);
    expect(await reads('ben', '/dee/one')).toBe(400);
    expect(await statusOf(team.ask('ben', 'ls', '/dee/one/deep/file'))).toBe(400);
  });

  it('includes a home in / only while something is shared; managers see all homes', async () => {
    await addMember('hal');
    await team.write('ada', '/hal/x', 'x');
    expect(await team.names('ben', '/')).not.toContain('hal/');
    await team.share('ada', 'ben', '/hal/x');
    expect(await team.names('ben', '/')).toContain('hal/');
    await team.ask('ada', 'rm', '/hal/x');
    expect(await team.names('ben', '/')).not.toContain('hal/');
    expect(await team.names('ada', '/')).toContain('hal/');
  });

  it('lists in /fs/shared every file that others shared with it, and no private one', async () => {
    await team.write('cy', '/cy/shared/s1', 'x');
    await team.write('cy', '/cy/shared/private', 'x');
    await team.share('cy', 'dee', '/cy/shared/s1');
    const shared = await sharedWith('dee');
    expect(shared).toContain('/cy/shared/s1');
    expect(shared).not.toContain('/cy/shared/private');
    expect(shared).toEqual([...new Set(shared)].sort());
    expect(await sharedWith('cy')).not.toContain('/cy/shared/s1');
    expect(await sharedWith('ada')).not.toContain('/cy/shared/private');
  });
});

describe('the existence of a path', () => {
  /** The answers that must be equal, however the request is made. */
  const answers = async (path: string) => {
    const requests = [
      team.ask('dee', 'ls', path),
      team.ask('dee', 'stat', path),
      team.get('dee', path),
      team.put('dee', path, 'x'),
      team.put('dee', path, 'x', { collide: 'overwrite' }),
      team.put('dee', path, 'x', { collide: 'suffix' }),
      team.put('dee', `${path}/below`, 'x'),
      team.ask('dee', 'rm', path),
      team.ask('dee', 'rm', path, { recursive: 'true' }),
      team.ask('dee', 'grants', path),
      team.post('dee', 'mkdir', { path }),
      team.post('dee', 'mkdir', { path, recursive: true }),
      team.post('dee', 'mv', { from: path, to: '/dee/here' }),
      team.post('dee', 'mv', { from: '/dee/own', to: path }),
      team.post('dee', 'mv', { from: '/dee/none', to: path }),
      team.share('dee', null, path),
    ];
    return Promise.all(
      requests.map(async (reply) => `${(await reply).status} ${await (await reply).text()}`),
    );
  };

  it('does not show in any answer to members who may not see it', async () => {
    await team.write('dee', '/dee/own', 'x');
    await team.write('ben', '/ben/secret/file', 'x');
    const missing = await answers('/ben/nothing');
    expect(new Set(missing.map((answer) => answer.slice(0, 3)))).toEqual(new Set(['403']));
    for (const path of [
      '/ben/secret',
      '/ben/secret/file',
      '/ben/secret/file/below',
      '/nobody/x',
      '/nobody',
      '/ada',
    ])
      expect(await answers(path), path).toEqual(missing);
  });
});
