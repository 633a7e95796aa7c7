import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const presets = { admin: ['team.manage', 'members.manage'], crew: ['objectives.create'], spare: [] };
let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({
    members: { ada: ['admin'], ben: [], cy: ['team.manage'], dan: ['operator'] },
  });
});
afterEach(() => team.stop());

async function patch(by: string, body: unknown) {
  const reply = await team.fetch(by, '/team', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as { message?: string; reason?: string } };
}
const permissionsOf = async (name: string) => (await team.as(name).call('session', {})).permissions;

describe('GET /team', () => {
  it('returns name, directive, brief, and permissionPresets to every member', async () => {
    const shown = await team.as('ben').call('team', {});
    expect(shown).toMatchObject({ name: 'Test', directive: 'Prove it', brief: '' });
    expect(Object.keys(shown.permissionPresets)).toEqual(['admin', 'operator', 'observer']);
  });
});

describe('PATCH /team', () => {
  it('changes any of name, directive, and brief with team.manage and returns the Team', async () => {
    const { permissionPresets } = await team.as('ben').call('team', {});
    const next = { name: 'Crew', directive: '', brief: 'one\n\ntwo', permissionPresets };
    expect(await patch('cy', { name: 'Crew' })).toMatchObject({
      status: 200,
      body: { directive: 'Prove it' },
    });
    expect(await patch('cy', { directive: '', brief: 'one\n\ntwo' })).toEqual({ status: 200, body: next });
    expect(await patch('cy', {})).toEqual({ status: 200, body: next });
    await team.restart();
    expect(await team.as('ben').call('team', {})).toEqual(next);
    expect((await patch('dan', { brief: 'x' })).status).toBe(403);
    expect((await patch('cy', { name: '' })).status).toBe(400);
    expect((await patch('cy', { brief: 'x'.repeat(16_385) })).status).toBe(400);
  });

  it('needs members.manage as well for permissionPresets, else 403', async () => {
    const { permissionPresets } = await team.as('ben').call('team', {});
    expect((await patch('cy', { permissionPresets })).status).toBe(403);
    expect((await patch('ada', { permissionPresets })).status).toBe(200);
  });

  it('acts at once on members who name the preset', async () => {
    const { permissionPresets } = await team.as('ben').call('team', {});
    await patch('ada', { permissionPresets: { ...permissionPresets, operator: ['members.manage'] } });
    expect(await permissionsOf('dan')).toEqual(['members.manage']);
    expect((await team.fetch('dan', '/members/ben/tokens')).status).toBe(200);
    await patch('ada', { permissionPresets: { ...permissionPresets, operator: [] } });
    expect(await permissionsOf('dan')).toEqual([]);
    expect((await team.fetch('dan', '/members/ben/tokens')).status).toBe(403);
  });

  it('answers 409 to removing a preset in use and names the members', async () => {
    const { status, body } = await patch('ada', { permissionPresets: presets });
    expect(status).toBe(409);
    expect(body.reason).toBe('preset_in_use');
    expect(body.message).toMatch(/"operator", by "dan"/);
    expect(await permissionsOf('dan')).toHaveLength(4);
  });

  it('answers 400 by the last-manager rule, which is applied before a preset in use', async () => {
    for (const permissionPresets of [{}, { admin: ['team.manage'] }]) {
      const { status, body } = await patch('ada', { permissionPresets });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: 'bad_request',
        message: expect.stringContaining('members.manage'),
      });
    }
    expect(await permissionsOf('ada')).toContain('members.manage');
  });

  it('answers 400 to a preset named like a permission and to anything except permissions in one', async () => {
    const operator = { operator: [] };
    const named = await patch('ada', { permissionPresets: { ...presets, ...operator, 'team.manage': [] } });
    expect(named).toMatchObject({ status: 400, body: { message: expect.stringContaining('team.manage') } });
    const unknown = await patch('ada', { permissionPresets: { ...presets, ...operator, x: ['admin'] } });
    expect(unknown).toMatchObject({ status: 400, body: { message: expect.stringContaining('"admin"') } });
    expect((await patch('ada', { permissionPresets: { ...presets, ...operator } })).status).toBe(200);
  });
});
