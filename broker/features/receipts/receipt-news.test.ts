import { expect, it, onTestFinished, vi } from 'vitest';
import { startTestBroker } from '../../testing/test-broker.ts';
import { openTestStream, type TestStream } from '../../testing/test-stream.ts';
import { createReceiptNews } from './receipt-news.service.ts';

it('a receipt of which thousands come at once is named a few times and counted once a second', () => {
  vi.useFakeTimers();
  try {
    const named: string[] = [];
    const counted: object[] = [];
    const news = createReceiptNews({
      announce: (_, { member }) => void named.push(member),
      announceMany: (_, notice) => void counted.push(notice),
      managers: () => [],
    });
    for (let n = 0; n < 5000; n++)
      news.tell(['ada'], { messageId: 'a', member: `m${n}`, state: 'accepted', at: n });
    news.tell(['ada'], { messageId: 'b', member: 'm1', state: 'accepted', at: 1 });
    expect(named.length).toBe(9);
    expect(counted).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(counted).toEqual([{ messageId: 'a', state: 'accepted', count: 4992 }]);
    vi.advanceTimersByTime(1000);
    expect(counted).toHaveLength(1);
    const audience = Array.from({ length: 5000 }, (_, n) => `m${n}`);
    news.accepted({ seq: 1, id: 'c', sender: 'ada', recipient: null, audience: 'everyone' });
    news.delivered(audience.map((member) => ({ member, from: 0, to: 1 })));
    expect(counted[1]).toEqual({ messageId: 'c', state: 'delivered', count: 5000 });
    expect(counted).toHaveLength(2);
    news.stop();
  } finally {
    vi.useRealTimers();
  }
});

it('says live that a message was delivered, to its sender and to managers whom it concerns', async () => {
  const team = await startTestBroker();
  onTestFinished(() => team.stop());
  const all = (name: string) =>
    openTestStream(`${team.url}/subscribe?name=${name}&events=all`, team.token(name));
  const say = async (to: object) =>
    (await team.as('cy').call('push', { body: { body: 'hello', ...to } })).message.id;
  const newsOf = ({ frames }: TestStream) =>
    frames.filter(({ event }) => event === 'receipts').map(({ data }) => JSON.parse(data));
  const [sender, manager, reader] = [await all('cy'), await all('ada'), await team.stream('ben')];
  const direct = await say({ to: 'ben' });
  const broadcast = await say({});
  await sender.until(() => newsOf(sender).flatMap(({ members }) => members).length === 3);
  await manager.until(() => newsOf(manager).length >= 1);
  const news = newsOf(sender);
  expect(news).toContainEqual({ messageId: direct, state: 'delivered', count: 1, members: ['ben'] });
  expect(
    news
      .filter(({ messageId }) => messageId === broadcast)
      .flatMap(({ members }) => members)
      .sort(),
  ).toEqual(['ada', 'ben']);
  expect(newsOf(manager).every(({ messageId }) => messageId === broadcast)).toBe(true);
  for (const stream of [sender, manager, reader]) stream.close();
});
