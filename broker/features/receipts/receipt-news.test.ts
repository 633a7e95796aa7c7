import { expect, it, vi } from 'vitest';
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
