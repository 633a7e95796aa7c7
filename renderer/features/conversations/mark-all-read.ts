/** Marks conversations as read, and remembers where each was unread. */
import type { BrokerClient } from '#protocol/client.ts';
import type { ScopeName } from '#protocol/scope.ts';
import { scopeQuery } from '../../data/thread.ts';

/** Each takes three requests. The rest stays unread until the next time. */
export const maxMarkedAtOnce = 100;

/** Returns what marks them as unread again. @throws what the client throws. */
export async function markAllRead(
  client: BrokerClient,
  scopes: readonly string[],
): Promise<() => Promise<void>> {
  const wereUnread: { scope: ScopeName; from: string }[] = [];
  for (const scope of scopes.slice(0, maxMarkedAtOnce) as ScopeName[]) {
    const [{ firstId }, { messages }] = await Promise.all([
      client.call('unreadMarks', { query: { scope } }),
      client.call('history', { query: { ...scopeQuery(scope), limit: '1' } }),
    ]);
    const [last] = messages;
    if (firstId === null || last === undefined) continue;
    await client.call('reportRead', { body: { scope, upTo: last.id } });
    wereUnread.push({ scope, from: firstId });
  }
  return async () => {
    for (const body of wereUnread) await client.call('markUnread', { body: body as never });
  };
}
