/** A team whose members send, read, and report: ada is an admin, cy an operator, and ben has no permissions. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../../testing/test-broker.ts';

/**
 * Starts a broker for the tests of a file, with further members for single tests. `use` is called with the broker that the returned
 * functions use. That is the shared one, except after startOwn().
 */
export function setUpReceiptTeam(use: (team: TestBroker) => void) {
  let team: TestBroker;
  const change = (next: TestBroker): void => {
    team = next;
    use(next);
  };
  /** The members for single tests. */
  const others = Array.from({ length: 20 }, (_, n) => `m${n}`);
  let given = 0;
  /** Returns the name of a member that has done nothing yet. */
  const nextMember = (): string => others[given++] ?? '';
  beforeAll(async () => {
    const members = Object.fromEntries(others.map((name) => [name, []]));
    change(await startTestBroker({ members: { ada: ['admin'], ben: [], cy: ['operator'], ...members } }));
  });
  afterAll(() => team.stop());

  /** Starts a broker for this test alone, which the functions below use until the test ends. */
  async function startOwn(): Promise<void> {
    const shared = team;
    const own = await startTestBroker();
    change(own);
    onTestFinished(() => {
      change(shared);
      return own.stop();
    });
  }

  const say = async (name: string, body: object): Promise<string> =>
    (await team.as(name).call('push', { body: { body: 'hello', ...body } })).message.id;
  const receipts = async (name: string, id: string) =>
    (await team.as(name).call('receipts', { params: { id } })).receipts;
  const report = (name: string, id: string, body: object) =>
    team.fetch(name, `/messages/${id}/receipt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const read = (name: string, scope: string, upTo: string) =>
    team.as(name).call('reportRead', { body: { scope, upTo } });
  const unread = async (name: string, scope: string) =>
    (await team.as(name).call('unread', {})).scopes.find((one) => one.scope === scope);
  return { nextMember, startOwn, say, receipts, report, read, unread };
}
