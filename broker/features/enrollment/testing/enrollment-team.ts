/** A team at which devices enroll. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { DeviceAuthorization } from '#protocol/enrollment.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { storeRows } from '../../../testing/store-rows.ts';
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../../testing/test-broker.ts';

/** The approval of a device for a member of the team. */
export const bind = (userCode: string, memberName = 'ben') => ({
  body: { mode: 'bind' as const, userCode, memberName },
});

/** The approval of a device for a new member. */
export const create = (userCode: string, memberName: string) => ({
  body: {
    mode: 'create' as const,
    userCode,
    memberName,
    role: { title: 'Agent', description: '' },
    permissions: ['operator'],
  },
});

/**
 * Starts a broker on disk for the tests of a file: ada approves, and ben, dan, eli, and fay have no permissions. `use` is called with the
 * broker that the returned functions use. That is the shared one, except after startOwn().
 */
export function setUpEnrollmentTeam(clock: Clock, use: (team: TestBroker) => void) {
  let team: TestBroker;
  const change = (next: TestBroker): void => {
    team = next;
    use(next);
  };
  beforeAll(async () => {
    const others = Object.fromEntries(['dan', 'eli', 'fay'].map((name) => [name, []]));
    change(await startTestBroker({ onDisk: true, clock, members: { ada: ['admin'], ben: [], ...others } }));
  });
  afterAll(() => team.stop());

  /** Starts a broker for this test alone, which the functions below use until the test ends. */
  async function startOwn(options: TestBrokerOptions = { onDisk: true }): Promise<void> {
    const shared = team;
    const own = await startTestBroker({ clock, ...options });
    change(own);
    onTestFinished(() => {
      change(shared);
      return own.stop();
    });
  }

  const post = (path: string, body: unknown, name: string | null = null, headers = {}) =>
    team.fetch(name, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const enroll = async (labelHint?: string): Promise<DeviceAuthorization> => {
    const reply = await post('/enroll', { labelHint });
    expect(reply.status).toBe(200);
    return (await reply.json()) as DeviceAuthorization;
  };
  const poll = async (deviceCode: string) => {
    const reply = await post('/enroll/poll', { deviceCode });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  const pollsAs = (deviceCode: string, error: string) =>
    expect(poll(deviceCode)).resolves.toMatchObject({ status: 400, body: { error } });
  const manager = () => team.as('ada');
  const rosterAs = (token: string) =>
    fetch(`${team.url}/roster`, { headers: { authorization: `Bearer ${token}` } });
  const rows = (sql: string) => storeRows(join(team.folder, 'main.db'), sql);
  return { startOwn, post, enroll, poll, pollsAs, manager, rosterAs, rows };
}
