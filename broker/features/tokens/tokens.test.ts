import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const asBearer = (token: string, path: string, method = 'GET') =>
  fetch(team.url + path, { method, headers: { authorization: `Bearer ${token}` } });
const status = async (token: string): Promise<number> => (await asBearer(token, '/roster')).status;
const listed = async (name: string) => (await team.as('ada').call('tokens', { params: { name } })).tokens;

async function rotate(name: string, by = name): Promise<{ token: string; id: string }> {
  const { token, tokenInfo } = await team.as(by).call('rotateToken', { params: { name } });
  return { token, id: tokenInfo.id };
}

describe('POST /members/:name/rotate-token', () => {
  it('revokes every active token and creates a new one, shown once', async () => {
    const reply = await team.as('ben').call('rotateToken', { params: { name: 'ben' } });
    expect(reply.token).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
    expect(reply.tokenInfo).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      memberName: 'ben',
      label: '',
      origin: 'rotate',
      createdAt: expect.any(Number),
      lastUsedAt: null,
      expiresAt: null,
      createdBy: 'ben',
    });
    for (let round = 0; round < 2; round++) {
      expect(await status(team.token('ben'))).toBe(401);
      expect(await status(reply.token)).toBe(200);
      expect(await listed('ben')).toEqual([{ ...reply.tokenInfo, lastUsedAt: expect.any(Number) }]);
      await team.restart();
    }
  });

  it('ends streams that the old tokens opened within a second, the caller’s own included', async () => {
    const [own, others] = await Promise.all([team.stream('ben'), team.stream('cy')]);
    await rotate('ben');
    expect((await team.openStreams()).messages).toBe(1);
    await own.ended;
    await team.as('ada').call('push', { body: { to: 'cy', body: 'x' } });
    await others.until((frames) => frames.some(({ event }) => event === 'message'));
  });

  it('is for managers and the member itself; unknown members are 404', async () => {
    const { token } = await rotate('ben', 'ada');
    expect(await status(token)).toBe(200);
    expect((await team.fetch('cy', '/members/ada/rotate-token', { method: 'POST' })).status).toBe(403);
    expect((await team.fetch('ada', '/members/nobody/rotate-token', { method: 'POST' })).status).toBe(404);
  });

  it('leaves exactly one token when it is requested many times at once', async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => rotate('ben', 'ada')));
    const statuses = await Promise.all(replies.map(({ token }) => status(token)));
    expect(statuses.sort()).toEqual([200, 401, 401, 401]);
    expect(await listed('ben')).toHaveLength(1);
  });
});

describe('DELETE /members/:name/tokens/:id', () => {
  const revoke = (token: string, name: string, id: string) =>
    asBearer(token, `/members/${name}/tokens/${id}`, 'DELETE');

  it('may revoke the token that authenticates the request; a restart does not restore it, nor list its replacement', async () => {
    const [own] = await listed('ben');
    expect(own).toMatchObject({ origin: 'bootstrap', createdBy: null });
    const stream = await team.stream('ben');
    expect((await revoke(team.token('ben'), 'ben', own!.id)).status).toBe(204);
    expect((await team.openStreams()).messages).toBe(0);
    await stream.ended;
    for (let round = 0; round < 3; round++) {
      expect(await status(team.token('ben'))).toBe(401);
      expect(await listed('ben')).toEqual([]);
      if (round < 2) await team.restart();
    }
    const { token } = await rotate('ben', 'ada');
    await team.restart();
    expect(await status(token)).toBe(200);
    expect(await listed('ben')).toHaveLength(1);
  });

  it('answers 404 for an unknown id, another member’s id, and an unknown member', async () => {
    const [bens] = await listed('ben');
    const ada = team.token('ada');
    expect((await revoke(ada, 'ben', 'nope')).status).toBe(404);
    expect((await revoke(ada, 'cy', bens!.id)).status).toBe(404);
    expect((await revoke(ada, 'nobody', bens!.id)).status).toBe(404);
    expect((await revoke(team.token('cy'), 'ben', bens!.id)).status).toBe(403);
    expect((await revoke(ada, 'ben', bens!.id)).status).toBe(204);
    expect((await revoke(ada, 'ben', bens!.id)).status).toBe(404);
  });
});

describe('GET /members/:name/tokens', () => {
  it('is for managers and the member itself, and never contains a hash or a plaintext', async () => {
    const reply = await team.fetch('ben', '/members/ben/tokens');
    const text = await reply.text();
    expect(text).not.toContain(team.token('ben'));
    expect(text).not.toContain('sha256');
    expect((await team.fetch('cy', '/members/ben/tokens')).status).toBe(403);
    expect((await team.fetch('ada', '/members/nobody/tokens')).status).toBe(404);
  });

  it('keeps across a restart when a token was last used', async () => {
    await team.as('cy').call('roster', {});
    const [before] = await listed('cy');
    expect(before?.lastUsedAt).toEqual(expect.any(Number));
    await team.restart();
    expect(await listed('cy')).toEqual([before]);
  });
});
