/** Messages around a message, and after it (specification/messages.md#window). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
/** Of general, oldest first. */
const ids: string[] = [];
beforeAll(async () => {
  team = await startTestBroker({ members: { ada: ['members.manage'], ben: [], cy: [] } });
  for (let n = 0; n < 30; n++) {
    const { message } = await team.as('ada').call('push', { body: { body: `message ${n}` } });
    ids.push(message.id);
    await team.as('ben').call('push', { body: { to: 'cy', body: `not for general ${n}` } });
  }
});
afterAll(() => team.stop());

const windowFor = async (query: Record<string, string>, name = 'ada') => {
  const { messages, ...more } = await team.as(name).call('historyWindow', { query });
  return { numbers: messages.map(({ body }) => Number(body.split(' ').at(-1))), ...more };
};
const numbers = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => from - n);

describe('the window of a history', () => {
  it('has as many messages on both sides of a message, newest first', async () => {
    expect(await windowFor({ around: ids[15] ?? '', limit: '10' })).toEqual({
      numbers: numbers(19, 10),
      hasOlder: true,
      hasNewer: true,
    });
  });

  it('says where the history ends on either side, also when a page ends exactly there', async () => {
    expect(await windowFor({ around: ids[5] ?? '', limit: '10' })).toEqual({
      numbers: numbers(9, 0),
      hasOlder: false,
      hasNewer: true,
    });
    expect(await windowFor({ around: ids[25] ?? '', limit: '10' })).toEqual({
      numbers: numbers(29, 20),
      hasOlder: true,
      hasNewer: false,
    });
  });

  it('has the oldest messages after a message', async () => {
    expect(await windowFor({ after: ids[15] ?? '', limit: '10' })).toEqual({
      numbers: numbers(25, 16),
      hasOlder: true,
      hasNewer: true,
    });
    expect(await windowFor({ after: ids[29] ?? '' })).toEqual({
      numbers: [],
      hasOlder: true,
      hasNewer: false,
    });
  });

  it('is around the place of a message that the conversation does not have', async () => {
    const [other] = (await team.as('ben').call('history', { query: { with: 'cy', limit: '1' } })).messages;
    expect(await windowFor({ around: other?.id ?? '', limit: '10' })).toEqual({
      numbers: numbers(29, 25),
      hasOlder: true,
      hasNewer: false,
    });
    expect(await windowFor({ around: '00000000-0000-7000-8000-000000000000', limit: '10' })).toEqual({
      numbers: numbers(4, 0),
      hasOlder: false,
      hasNewer: true,
    });
  });

  it('has fewer messages if they are long, and at least one on each side', async () => {
    const long: string[] = [];
    for (let n = 0; n < 4; n++) {
      const body = `${'x'.repeat(60_000)} ${n}`;
      long.push((await team.as('cy').call('push', { body: { to: 'ben', body } })).message.id);
    }
    const { messages, hasNewer } = await team
      .as('cy')
      .call('historyWindow', { query: { with: 'ben', around: long[2] ?? '', limit: '100' } });
    expect([messages.map(({ id }) => id), hasNewer]).toEqual([[long[2], long[1]], true]);
  });

  it('refuses a conversation that the caller may not read, and a query without exactly one place', async () => {
    const { id: channel } = await team.as('ben').call('createChannel', { body: { slug: 'ops' } });
    const around = ids[0] ?? '';
    await expect(windowFor({ channel, around }, 'cy')).rejects.toMatchObject({ status: 403 });
    await expect(windowFor({ with: 'nobody', around })).rejects.toMatchObject({ status: 404 });
    await expect(windowFor({})).rejects.toMatchObject({ status: 400 });
    await expect(windowFor({ around, after: around })).rejects.toMatchObject({ status: 400 });
    await expect(windowFor({ around, with: 'ben', channel })).rejects.toMatchObject({ status: 400 });
  });
});
