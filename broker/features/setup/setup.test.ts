import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SetupReply } from '#protocol/setup.ts';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { type Broker, createBroker } from '../../create-broker.ts';
import { createLog } from '../../runtime/log.ts';

let folder: string;
let broker: Broker;
let url: string;
const logged: string[] = [];
const request = {
  team: { name: 'Lab', directive: 'Find out' },
  admin: { name: 'ada', role: { title: 'Lead' } },
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
  const log = createLog({ destination: { write: (line: string) => void logged.push(line) } });
  broker = await createBroker({ configPath: join(folder, 'svc.json'), env: {}, log });
  url = (await broker.listen({ port: 0 }))[0]?.url ?? '';
});
afterEach(async () => {
  await broker.close();
  await rm(folder, { recursive: true });
});

const setUp = (key: string | null, body: unknown = request) =>
  fetch(`${url}/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { [setupKeyHeader]: key }) },
    body: JSON.stringify(body),
  });

describe('an unconfigured broker', () => {
  it('serves /healthz and /setup; every other API route is 503 unavailable', async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    for (const path of ['/roster', '/history', '/subscribe?name=ada', '/openapi.json']) {
      const reply = await fetch(url + path);
      expect(reply.status, path).toBe(503);
      expect(await reply.json()).toMatchObject({ error: 'unavailable' });
    }
    expect((await fetch(`${url}/nope`)).status).toBe(404);
  });

  it('accepts no setup without its one-time key', async () => {
    for (const key of [null, '', 'x', `${broker.setupKey}x`]) expect((await setUp(key)).status).toBe(401);
    await expect(stat(join(folder, 'svc.json'))).rejects.toThrow();
  });

  it.each([
    ['no team', { admin: request.admin }],
    ['an empty team name', { ...request, team: { name: '' } }],
    ['a reserved member name', { ...request, admin: { ...request.admin, name: 'system' } }],
    ['no role', { ...request, admin: { name: 'ada' } }],
  ])('answers %s with 400 and stays unconfigured', async (_, body) => {
    expect((await setUp(broker.setupKey, body)).status).toBe(400);
    expect(broker.setupKey).not.toBeNull();
  });

  it('continues without a restart: the first member’s token works at once, and the setup is over', async () => {
    const key = broker.setupKey;
    const reply = await setUp(key);
    expect(reply.status).toBe(200);
    const first = SetupReply.parse(await reply.json());
    expect(first.member).toMatchObject({ name: 'ada', role: { title: 'Lead', description: '' } });
    expect(first.member.permissions).toHaveLength(7);
    expect(first.totpUri).toContain(`secret=${first.totpSecret}`);
    const roster = await fetch(`${url}/roster`, { headers: { authorization: `Bearer ${first.token}` } });
    expect(roster.status).toBe(200);
    expect(broker.setupKey).toBeNull();
    expect((await setUp(key)).status).toBe(409);
    const written = await readFile(join(folder, 'svc.json'), 'utf8');
    for (const secret of [first.token, first.totpSecret ?? '', key ?? '']) {
      expect(written).not.toContain(secret);
      expect(logged.join('')).not.toContain(secret);
    }
    expect(JSON.parse(written)).toMatchObject({
      files: { root: expect.any(String) },
      webPush: { vapidPublicKey: expect.any(String) },
    });
  });

  it('creates no TOTP secret if asked not to', async () => {
    const first = SetupReply.parse(await (await setUp(broker.setupKey, { ...request, totp: false })).json());
    expect(first).toMatchObject({ totpSecret: null, totpUri: null });
  });

  it('accepts one of two setups at once', async () => {
    const replies = await Promise.all([setUp(broker.setupKey), setUp(broker.setupKey)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
