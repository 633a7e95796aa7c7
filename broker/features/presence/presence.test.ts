import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

let team: TestBroker;
let now = 1_800_000_000_000;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true, clock: () => now });
});
afterEach(() => team.stop());

const presence = async (name: string) =>
  (await team.as('ada').call('roster', {})).connected.find((one) => one.name === name);

describe('GET /roster', () => {
  it('lists every member, the caller included, with its public projection only', async () => {
    const roster = await team.as('ben').call('roster', {});
    expect(roster.teammates.map(({ name }) => name)).toEqual(['ada', 'ben', 'cy']);
    expect(Object.keys(roster.teammates[0] ?? {})).toEqual(['name', 'role', 'permissions']);
    expect(JSON.stringify(roster)).not.toContain('private to');
    expect(roster.connected).toHaveLength(3);
  });

  it('reports as lastSeen the last authenticated request or stream of that member, and nothing else', async () => {
    expect(await presence('ben')).toEqual({ name: 'ben', connected: 0, lastSeen: null, busy: false });
    await team.fetch('ben', '/nope');
    await team.as('ada').call('push', { body: { to: 'ben', body: 'x' } });
    expect((await presence('ben'))?.lastSeen).toBeNull();
    now += 1000;
    await team.as('ben').call('roster', {});
    const seen = now;
    now += 1000;
    expect((await presence('ben'))?.lastSeen).toBe(seen);
  });

  it('keeps lastSeen across a restart', async () => {
    await team.as('cy').call('roster', {});
    const before = await presence('cy');
    await team.restart();
    expect(await presence('cy')).toEqual(before);
  });
});

describe('POST /presence/busy', () => {
  const report = (name: string, busy: boolean) => team.as(name).call('reportBusy', { body: { busy } });
  const isBusy = async (name: string) => (await presence(name))?.busy;

  it('sets busy, which clears by itself 30 s after the last report', async () => {
    const reply = await team.fetch('ben', '/presence/busy', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"busy":true}',
    });
    expect(reply.status).toBe(204);
    expect(await isBusy('ben')).toBe(true);
    expect(await isBusy('cy')).toBe(false);
    now += 15_000;
    await report('ben', true);
    now += 29_999;
    expect(await isBusy('ben')).toBe(true);
    now += 1;
    expect(await isBusy('ben')).toBe(false);
  });

  it('clears it at once with busy: false', async () => {
    await report('ben', true);
    await report('ben', false);
    expect(await isBusy('ben')).toBe(false);
  });
});

describe('POST /presence/model', () => {
  const refuse = (name: string, until?: number) =>
    team.as(name).call('reportModel', {
      body: {
        state: 'refusing',
        cause: 'limit',
        detail: 'weekly limit',
        ...(until !== undefined && { until }),
      },
    });
  const model = async (name: string) => (await presence(name))?.model;

  it('shows that the model refuses, and since when, until it works again', async () => {
    expect(await model('ben')).toBeUndefined();
    const since = now;
    await refuse('ben');
    now += 15_000;
    await refuse('ben', now + 60_000);
    expect(await model('ben')).toEqual({ cause: 'limit', since, until: now + 60_000 });
    expect(await model('cy')).toBeUndefined();
    await team.as('ben').call('reportModel', { body: { state: 'working' } });
    expect(await model('ben')).toBeUndefined();
  });

  it('clears by itself 45 s after the last report', async () => {
    await refuse('ben');
    now += 44_999;
    expect(await model('ben')).toBeDefined();
    now += 1;
    expect(await model('ben')).toBeUndefined();
  });

  it('tells the others at once, and again only when something changed', async () => {
    const stream = await openTestStream(`${team.url}/subscribe?name=ada&events=all`, team.token('ada'));
    await refuse('ben');
    await refuse('ben');
    await team.as('ben').call('reportModel', { body: { state: 'working' } });
    const seen = () =>
      stream.frames
        .filter(({ event }) => event === 'presence')
        .map(({ data }) => JSON.parse(data))
        .filter(({ name }) => name === 'ben');
    await stream.until(() => seen().some(({ model }) => model === undefined));
    expect(seen().map(({ model }) => model?.cause)).toEqual(['limit', undefined]);
    stream.close();
  });

  it('says in the receipts why a message waits, with what the service said, and only then', async () => {
    const { message } = await team.as('ada').call('push', { body: { to: 'ben', body: 'hello' } });
    const receipt = async () =>
      (await team.as('ada').call('receipts', { params: { id: message.id } })).receipts[0];
    expect(await receipt()).not.toHaveProperty('model');
    await refuse('ben');
    expect(await receipt()).toMatchObject({
      member: 'ben',
      state: 'stored',
      model: { cause: 'limit', detail: 'weekly limit' },
    });
    await team
      .as('ben')
      .call('reportEvidence', { params: { id: message.id }, body: { state: 'in_context', at: now } });
    expect(await receipt()).not.toHaveProperty('model');
  });

  it('refuses a report that is not well formed', async () => {
    for (const body of [{}, { state: 'refusing' }, { state: 'refusing', cause: 'x' }]) {
      const reply = await team.fetch('ben', '/presence/model', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(reply.status).toBe(400);
    }
  });
});

describe('GET /briefing', () => {
  it('has the caller’s own record flat, the team, every teammate, and the open objectives', async () => {
    const briefing = await team.as('ben').call('briefing', {});
    expect(briefing).toEqual({
      name: 'ben',
      role: { title: 'ben', description: '' },
      permissions: [],
      instructions: 'private to ben',
      rawPermissions: [],
      totpEnrolled: false,
      team: { name: 'Test', directive: 'Prove it', brief: '', permissionPresets: expect.any(Object) },
      teammates: [
        expect.objectContaining({ name: 'ada' }),
        expect.objectContaining({ name: 'ben' }),
        expect.objectContaining({ name: 'cy' }),
      ],
      openObjectives: [],
    });
    expect(JSON.stringify(briefing)).not.toContain('private to ada');
  });
});
