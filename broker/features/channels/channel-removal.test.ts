import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { channelRequests } from './testing/channel-requests.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({
    onDisk: true,
    members: { ada: ['members.manage'], ben: [], cy: [], dan: [] },
  });
});
afterEach(() => team.stop());

const { send, create, add, view, rolesIn } = channelRequests(() => team);

describe('a removed member', () => {
  it('is no longer in any channel, and hands over those of which it was the last admin', async () => {
    await create('ben', 'ops');
    await create('cy', 'dev');
    await add('ben', 'dev', 'ben');
    await add('dan', 'ops', 'dan');
    expect((await send('ada', 'DELETE', '/members/ben')).status).toBe(204);
    expect(await rolesIn('ops')).toEqual(['dan admin']);
    expect(await rolesIn('dev')).toEqual(['cy admin']);
    const { channels } = await team.as('dan').call('channels', {});
    expect(channels.map(({ slug, memberCount }) => [slug, memberCount])).toEqual([
      ['general', 3],
      ['dev', 1],
      ['ops', 1],
    ]);
    expect((await add('dan', 'ops', 'ben')).status).toBe(404);
  });

  it('creates no channel with a request in progress, and none restores it', async () => {
    await create('ben', 'ops');
    const late = await Promise.all([
      slowPost('dan', '/channels', { slug: 'mine' }),
      slowPost('dan', '/channels/ops/members', { member: 'dan' }),
      slowPost('ben', '/channels/ops/members', { member: 'dan' }),
    ]);
    await send('ada', 'DELETE', '/members/dan');
    expect(await Promise.all(late.map((finish) => finish()))).toEqual([401, 401, 404]);
    const { channels } = await team.as('ben').call('channels', {});
    expect(channels.map(({ slug, memberCount }) => [slug, memberCount])).toEqual([
      ['general', 3],
      ['ops', 1],
    ]);
  });

  it('or a permission that was lost in the meantime does not apply to a request in progress', async () => {
    await create('ben', 'ops');
    await send('ada', 'PATCH', '/members/dan', { permissions: ['members.manage'] });
    const late = await slowPost('dan', '/channels/ops/members', { member: 'cy' });
    await send('ada', 'PATCH', '/members/dan', { permissions: [] });
    expect(await late()).toBe(403);
  });

  it('a member who was removed from the configuration by hand is in no channel from the next start on', async () => {
    await create('dan', 'ops');
    await add('ben', 'ops', 'ben');
    const config = JSON.parse(await readFile(team.configPath, 'utf8'));
    await team.broker.close();
    const dan = config.store.members.splice(3, 1);
    await writeFile(team.configPath, JSON.stringify(config));
    await team.restart();
    const rest = (await view('ben', 'general')).members;
    expect(rest.map(({ member }) => member)).toEqual(['ada', 'ben', 'cy']);
    expect((await view('ben', 'ops')).members).toMatchObject([{ member: 'ben', role: 'admin' }]);
    await team.broker.close();
    const again = Date.now();
    config.store.members.push(...dan);
    await writeFile(team.configPath, JSON.stringify(config));
    await team.restart();
    const { members } = await view('ben', 'general');
    expect(members.slice(0, 3)).toEqual(rest);
    expect(members[3]?.joinedAt).toBeGreaterThanOrEqual(again);
  });
});

/** A request whose body stays half sent until the answer is needed. Resolves once the broker has its head. */
async function slowPost(by: string, path: string, body: unknown): Promise<() => Promise<number>> {
  const text = JSON.stringify(body);
  const outgoing = request(team.url + path, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${team.token(by)}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      expect: '100-continue',
    },
  });
  const status = new Promise<number>((resolve, reject) => {
    outgoing.on('response', (reply) => resolve(reply.resume().statusCode ?? 0)).on('error', reject);
  });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.write(text.slice(0, 3));
  return () => {
    outgoing.end(text.slice(3));
    return status;
  };
}
