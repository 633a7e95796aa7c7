import { expect, it } from 'vitest';
import { openForTest } from '../../storage/testing/test-store.ts';
import { messageRow } from '../../testing/message-row.ts';
import type { UnreadUnits } from './unread.sqlite.ts';

/** Mentions are written together with the search index. */
interface Units extends UnreadUnits {
  fillIndex(input: { left: string[]; joined: string[]; limit: number; characters: number }): Promise<object>;
  acceptMessage(input: object): Promise<object>;
}

const threadModule = new URL('../../store-thread.ts', import.meta.url);

it('counts mentions whether their message is indexed or not', async () => {
  const { units } = await openForTest<Units>({ store: 'main', file: ':memory:', threadModule });
  for (const [at, body] of ['for @ben', 'for nobody', 'again for @ben', 'for @bens'].entries())
    await units.acceptMessage({
      message: messageRow({ id: `id ${at}`, ts: at + 1, title: at === 1 ? 'to @ben, too' : null, body }),
      author: { kind: 'person' },
      to: { kind: 'everyone', targets: 1 },
      answerKey: null,
    });
  for (const indexed of [0, 1, 2, 4]) {
    if (indexed > 0)
      await units.fillIndex({
        left: [],
        joined: ['ada', 'ben'],
        limit: indexed === 4 ? 2 : 1,
        characters: 1000,
      });
    expect(await units.unread({ name: 'ben', isManager: false }), `${indexed} of 4 are in the index`).toEqual(
      { scopes: [{ scope: 'general', count: 4, mentions: 3, lastReadId: null }], newestId: 'id 3' },
    );
  }
});
