import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

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
