/** The views of messages: history, streams, and search. */
import type { WireMessage } from './day-reader.ts';
import { history, search } from './reading-model.ts';
import type { View, ViewContext } from './view.ts';

export function createConversationViews({ day, broker, get }: ViewContext) {
  function historyOf(name: string, scope: string): View {
    const [kind, key = ''] = scope.split(':');
    const query = {
      general: '',
      dm: `with=${broker.apiScope(name, scope).slice('dm:'.length)}`,
      chan: `channel=${broker.channelId(key)}`,
      obj: `objective=${broker.objectiveId(key)}`,
    }[kind ?? ''];
    return {
      title: `the history of ${scope} for ${name}`,
      expected: history(day, name, scope),
      async actual() {
        const all: (WireMessage & { ts: number })[] = [];
        for (;;) {
          const last = all.at(-1);
          const before = last === undefined ? '' : `&before=${last.ts}&beforeId=${last.id}`;
          const { status, body } = await get(name, `/history?limit=500&${query}${before}`);
          if (status !== 200) return status;
          all.push(...body.messages);
          if (body.messages.length < 500) return all.map(broker.labelOf);
        }
      },
    };
  }

  const streamOf = (name: string): View => ({
    title: `what the stream of ${name} received`,
    expected: [day.readers.get(name)?.received ?? [], []],
    actual: async () => [broker.reader(name).received.map(broker.labelOf), broker.reader(name).faults],
    isLate: true,
  });

  const searchOf = (name: string, word: string): View => ({
    title: `a search of ${name} for ${word}`,
    expected: search(day, name, word),
    // A search waits for the index only briefly.
    isLate: true,
    async actual() {
      const posts: string[] = [];
      const objectives: string[] = [];
      for (let next = ''; ; ) {
        const { status, body } = await get(name, `/search?q=${word}&limit=100${next && `&before=${next}`}`);
        if (status !== 200) return status;
        for (const { kind, id } of body.results)
          kind === 'message' ? posts.push(broker.labelOfId(id)) : objectives.push(broker.objectiveKey(id));
        if (body.next === null) return { posts, objectives };
        next = body.next;
      }
    },
  });

  return { historyOf, streamOf, searchOf };
}
