/** The held posts of a member that is removed (specification/members.md#removing-a-member). */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

let team: TestBroker;
/** The ids of two held posts of ben, in their order. */
let ids: string[];

beforeEach(async () => {
  team = await startTestBroker({ onDisk: true, members: { ada: ['admin'], ben: [], dan: [] } });
  for (const name of ['ben', 'dan'])
    await team.as(name).call('takeRun', { body: { runId: randomUUID(), host: 'mill', agent: 'sh' } });
  await team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
  const { message } = await team.as('dan').call('push', { body: { to: 'ben', body: 'hello', causes: [] } });
  ids = [await hold('first', message.id), await hold('second', message.id)];
});
afterEach(() => team.stop());

async function hold(body: string, cause: string): Promise<string> {
  const { held } = await team.as('ben').call('push', { body: { to: 'dan', body, causes: [cause] } });
  return held?.id ?? '';
}
const held = async () => (await team.as('ada').call('heldPosts', {})).held.map(({ id }) => id);
const release = (id = '') => team.as('ada').call('releaseHeld', { params: { id } });
const removeBen = () => team.as('ada').call('deleteMember', { params: { name: 'ben' } });
const dropRecords = async () =>
  (await team.as('ada').call('audit', { query: { kind: 'held_dropped' } })).records;

it('are dropped with it, which is recorded and announced to managers', async () => {
  expect(await held()).toEqual(ids);
  const stream = await openTestStream(`${team.url}/subscribe?name=ada&events=all`, team.token('ada'));
  try {
    await removeBen();
    const dropped = () =>
      stream.frames
        .filter(({ event }) => event === 'change')
        .map(({ data }) => JSON.parse(data))
        .filter(({ resource }) => resource === 'held')
        .map(({ id }) => id);
    await expect.poll(dropped).toEqual(ids);
  } finally {
    stream.close();
  }
  expect(await held()).toEqual([]);
  expect(await dropRecords()).toMatchObject(
    ids.toReversed().map((heldId) => ({ member: 'ada', subject: 'ben', before: { heldId } })),
  );
  await expect(release(ids[0])).rejects.toMatchObject({ reason: 'unknown_held' });
});

it('are each released before the removal or not at all when both come at once', async () => {
  const [, released] = await Promise.all([removeBen(), release(ids[0]).catch(({ reason }) => reason)]);
  const history = await team.as('dan').call('history', { query: { with: 'ben' as never } });
  const isDelivered = history.messages.some(({ body }) => body === 'first');
  if (isDelivered) expect(released).toMatchObject({ message: { body: 'first' } });
  else expect(['unknown_member', 'unknown_held']).toContain(released);
  expect(await dropRecords()).toHaveLength(isDelivered ? 1 : 2);
  expect(await held()).toEqual([]);
});

it('are not released after it was removed from the file by hand, and a namesake does not inherit them', async () => {
  await team.restart(async () => {
    const config = JSON.parse(await readFile(team.configPath, 'utf8'));
    config.store.members = config.store.members.filter(({ name }: { name: string }) => name !== 'ben');
    await writeFile(team.configPath, JSON.stringify(config));
  });
  await expect(release(ids[0])).rejects.toMatchObject({ reason: 'unknown_member' });
  expect(await held()).toEqual(ids);
  await team.as('ada').call('dropHeld', { params: { id: ids[0] ?? '' } });
  const body = { name: 'ben' as never, role: { title: 'w' }, permissions: [] };
  await team.as('ada').call('createMember', { body });
  expect(await held()).toEqual([]);
});
