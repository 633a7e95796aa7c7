import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream, type TestStream } from '../../testing/test-stream.ts';

let team: TestBroker;
const streams = new Map<string, TestStream>();
const names = ['ada', 'ben', 'cy', 'dee'];

beforeEach(async () => {
  team = await startTestBroker({
    members: { ada: ['admin'], ben: ['operator'], cy: [], dee: [] },
    config: { files: { root: 'files' } },
  });
  for (const name of names) {
    const url = `${team.url}/subscribe?name=${name}&events=all`;
    streams.set(name, await openTestStream(url, team.token(name)));
  }
});
afterEach(async () => {
  for (const stream of streams.values()) stream.close();
  await team.stop();
});

const changesOf = (name: string): string[] =>
  (streams.get(name)?.frames ?? [])
    .filter(({ event }) => event === 'change')
    .map(({ data }) => JSON.parse(data))
    .map(({ resource, id }) => `${resource} ${id}`);

/**
 * Returns what each member was told, once everybody has been told of a last change that everybody may see.
 */
async function told(): Promise<Record<string, string[]>> {
  await team.as('ada').call('updateTeam', { body: { directive: 'look' } });
  await Promise.all(
    [...streams.values()].map((stream) =>
      stream.until((frames) =>
        frames.some(({ event, data }) => event === 'change' && data.includes('"team"')),
      ),
    ),
  );
  return Object.fromEntries(
    names.map((name) => [name, changesOf(name).filter((one) => one !== 'team Test')]),
  );
}

const write = (name: string, path: string) =>
  team.fetch(name, `/fs/write?path=${path}&collide=overwrite`, { method: 'POST', body: 'x' });

describe('a change frame', () => {
  it('names a path to its owner, to managers, and to those with whom it is shared, and to nobody else', async () => {
    await write('ben', '/ben/plan.txt');
    await team.as('ben').call('push', { body: { to: 'cy', body: 'see', attachments: ['/ben/plan.txt'] } });
    await write('ben', '/ben/plan.txt');
    await team.as('ben').call('moveFile', { body: { from: '/ben/plan.txt', to: '/ben/final.txt' } });
    await team.as('ben').call('removeFile', { query: { path: '/ben/final.txt' } });
    const seen = await told();
    expect(seen.dee).toEqual([]);
    expect(seen.cy).toEqual([
      'file /ben/plan.txt',
      'file /ben/plan.txt',
      'file /ben/final.txt',
      'file /ben/final.txt',
    ]);
    expect(seen.ada).toEqual(['file /ben/plan.txt', ...(seen.cy ?? [])]);
    expect(seen.ben).toEqual(seen.ada);
  });

  it('names a removed directory to those with whom a file in it is shared, and to nobody else', async () => {
    for (const path of ['/ben/dir/plan.txt', '/ben/dir/deep/own.txt', '/ben/dir-2/other.txt', '/ben/dir.txt'])
      await write('ben', path);
    const share = (to: string, path: string) =>
      team.as('ben').call('push', { body: { to, body: 'see', attachments: [path] } });
    await share('cy', '/ben/dir/plan.txt');
    await share('dee', '/ben/dir-2/other.txt');
    await share('dee', '/ben/dir.txt');
    const remove = (by: string, query: string) => team.fetch(by, `/fs/rm?${query}`, { method: 'DELETE' });
    expect((await remove('ben', 'path=/ben/dir')).status).toBe(409);
    expect((await remove('dee', 'path=/ben/dir&recursive=true')).status).toBe(403);
    expect((await remove('ben', 'path=/ben&recursive=true')).status).toBe(403);
    expect((await remove('ben', 'path=/ben/dir&recursive=true')).status).toBe(204);
    const seen = await told();
    expect(seen.cy).toEqual(['file /ben/dir']);
    expect(seen.dee).toEqual([]);
    expect(seen.ada?.at(-1)).toBe('file /ben/dir');
    expect(seen.ben).toEqual(seen.ada);
  });

  it('names a removed directory to everybody if a file in it is shared with everybody', async () => {
    await write('ben', '/ben/dir/deep/plan.txt');
    await team.as('ben').call('push', { body: { body: 'see', attachments: ['/ben/dir/deep/plan.txt'] } });
    await team.as('ada').call('removeFile', { query: { path: '/ben/dir', recursive: 'true' } });
    expect((await told()).dee).toEqual(['file /ben/dir']);
  });

  it('names the channels of a removed member to those who may see them', async () => {
    const create = async (slug: string, isPrivate: boolean) => {
      const { id } = await team.as('ben').call('createChannel', { body: { slug, private: isPrivate } });
      await team.as('ben').call('joinChannel', { params: { slug }, body: { member: 'cy' } });
      return `channel ${id}`;
    };
    const [open, hidden] = [await create('open', false), await create('hidden', true)];
    const channelsOf = (seen: Record<string, string[]>, name: string) =>
      seen[name]?.filter((one) => one.startsWith('channel')).sort();
    const before = channelsOf(await told(), 'dee');
    expect(before).toEqual([open, open]);
    for (const stream of streams.values()) stream.frames.splice(0);
    await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
    streams.delete('ben');
    const seen = await told();
    for (const name of ['ada', 'cy']) expect(channelsOf(seen, name)).toEqual([open, hidden].sort());
    expect(channelsOf(seen, 'dee')).toEqual([open]);
  });

  it('names no path of a channel to a member who has left it', async () => {
    const ops = await team.as('ben').call('createChannel', { body: { slug: 'ops' } });
    await team.as('cy').call('joinChannel', { params: { slug: 'ops' }, body: { member: 'cy' } });
    await write('ben', '/ben/plan.txt');
    const body = { body: 'see', data: { thread: `chan:${ops.id}` }, attachments: ['/ben/plan.txt'] };
    await team.as('ben').call('push', { body });
    await team.as('cy').call('leaveChannel', { params: { slug: 'ops', name: 'cy' } });
    await write('ben', '/ben/plan.txt');
    expect((await told()).cy?.filter((one) => one.startsWith('file'))).toEqual([]);
  });

  it('about tokens and authenticators goes only to the member itself and managers', async () => {
    const { tokens } = await team.as('cy').call('tokens', { params: { name: 'cy' } });
    await team.as('cy').call('enrollTotp', { params: { name: 'cy' } });
    expect(tokens).toHaveLength(1);
    const seen = await told();
    expect(seen.ada).toEqual(['member cy']);
    expect(seen.cy).toEqual(['member cy']);
    expect(seen.ben).toEqual([]);
    expect(seen.dee).toEqual([]);
  });

  it('is not sent for a refused request', async () => {
    expect((await team.fetch('dee', '/fs/rm?path=/ben', { method: 'DELETE' })).status).toBe(403);
    expect((await team.fetch('dee', '/members/ben', { method: 'DELETE' })).status).toBe(403);
    expect(await told()).toEqual({ ada: [], ben: [], cy: [], dee: [] });
  });
});
