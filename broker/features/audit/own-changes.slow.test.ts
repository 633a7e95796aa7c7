import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { codeAt } from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const { perMember, windowMs } = limits.ownChanges;
let now: number;
let team: TestBroker;
beforeEach(async () => {
  now = Date.now();
  secretByName.clear();
  const members = { ada: ['admin'], ben: [], dee: ['team.manage'] };
  team = await startTestBroker({ onDisk: true, members, clock: () => now });
});
afterEach(() => team.stop());

const head = async () => (await team.as('ada').call('audit', { query: { limit: '1' } })).head.seq;
const secretByName = new Map<string, string>();
/** Members replace their own authenticator with the code of the present one. */
async function enroll(by: string, name: string): Promise<void> {
  const present = secretByName.get(name);
  now += 30_000;
  const body = by === name && present !== undefined ? { presentCode: codeAt(present, now) } : {};
  secretByName.set(name, (await team.as(by).call('enrollTotp', { params: { name }, body })).totpSecret);
}
const refused = { status: 429, reason: 'too_many_own_changes', retryAfter: expect.any(Number) };

async function spend(change: (n: number) => Promise<unknown>): Promise<void> {
  const before = await head();
  for (let n = 0; n < perMember; n++) await change(n);
  await expect(change(perMember)).rejects.toMatchObject(refused);
  expect(await head()).toBe(before + perMember);
  now += windowMs + 1;
  await change(perMember + 1);
}

describe('changes that a member repeats without members.manage', () => {
  it('are refused beyond a number of new authenticators and tokens together', async () => {
    await spend(() => enroll('ben', 'ben'));
    for (let n = 1; n < perMember; n++) await enroll('ben', 'ben');
    await expect(team.as('ben').call('rotateToken', { params: { name: 'ben' } })).rejects.toMatchObject(
      refused,
    );
  });

  it('are refused beyond a number of runs that it asked to stop', async () => {
    await spend(async () => {
      const body = { runId: randomUUID(), host: 'mill', agent: 'Codex 1' };
      const { run } = await team.as('ben').call('takeRun', { body });
      try {
        await team.as('ben').call('stopRun', { params: { name: 'ben' }, body: { since: run.since } });
      } finally {
        await team.as('ben').call('endRun', { params: { id: body.runId } });
      }
    });
  });

  it('are refused beyond a number of changes of the team', async () => {
    await spend((n) => team.as('dee').call('updateTeam', { body: { brief: `brief ${n}` } }));
  });

  it('do not limit others or a manager, and are in the audit log as a limit that was hit', async () => {
    for (let n = 0; n < perMember; n++) await enroll('ben', 'ben');
    for (let n = 0; n < 2; n++) await expect(enroll('ben', 'ben')).rejects.toMatchObject(refused);
    for (let n = 0; n <= perMember; n++) await enroll('ada', 'ben');
    await enroll('dee', 'dee');
    await team.restart();
    const { records } = await team.as('ada').call('audit', { query: { kind: 'limit_hit' } });
    expect(records).toMatchObject([{ subject: 'own_changes', address: 'ben', after: { count: 2 } }]);
  });
});
