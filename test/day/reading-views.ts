/** The views of what members have read: unread counts, waiting messages, and receipts. */
import type { Answer } from './day-broker.ts';
import { placeOf, receipts, unread, waiting } from './reading-model.ts';
import { okOr, type View, type ViewContext } from './view.ts';

const byMember = (a: { member: string }, b: { member: string }): number => (a.member < b.member ? -1 : 1);

export function createReadingViews({ day, broker, get }: ViewContext) {
  const unreadOf = (name: string): View => ({
    title: `/unread for ${name}`,
    expected: unread(day, name),
    actual: async () =>
      okOr(await get(name, '/unread'), ({ scopes }) =>
        scopes
          .map(({ scope, count, mentions, lastReadId }: Answer['body']) => ({
            scope: broker.modelScope(name, scope),
            count,
            mentions,
            lastRead: lastReadId === null ? null : broker.labelOfId(lastReadId),
          }))
          .sort((a: { scope: string }, b: { scope: string }) => (a.scope < b.scope ? -1 : 1)),
      ),
  });

  const waitingFor = (name: string): View => ({
    title: `what waits for ${name}`,
    expected: waiting(day, name),
    actual: async () =>
      okOr(await get(name, '/messages/waiting'), ({ messages, more }) => ({
        labels: messages.map(broker.labelOf),
        more,
      })),
  });

  function receiptsOf(name: string, label: string): View {
    const post = day.posts[placeOf(day, label)];
    const isAllowed = post !== undefined && (post.from === name || day.members.get(name) === 'admin');
    const expected = post !== undefined && isAllowed ? receipts(day, post) : 403;
    return {
      title: `the receipts of ${label} for ${name}`,
      expected:
        typeof expected === 'number' ? expected : expected.map(({ member, state }) => ({ member, state })),
      async actual() {
        const { status, body } = await get(name, `/messages/${broker.messageId(label)}/receipts`);
        if (status !== 200 || typeof expected === 'number') return status;
        return body.receipts
          .map(({ member, state }: Answer['body']) => {
            const weaker = expected.find((one) => one.member === member && one.mayBeWeaker);
            return { member, state: weaker !== undefined && state === 'stored' ? weaker.state : state };
          })
          .sort(byMember);
      },
    };
  }

  return { unreadOf, waitingFor, receiptsOf };
}
