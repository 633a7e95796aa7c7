/** Work that is done for all who wait for it at once, one group after the other. */

/**
 * Returns a function that adds an item to the next group of at most `maxItems` and resolves with its result, which `work` returns
 * at the item's place. If `work` rejects, so does every item of the group; later groups go on.
 */
export function createGroupedWork<Item, Result>(
  maxItems: number,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  interface Waiting extends PromiseWithResolvers<Result> {
    item: Item;
  }
  const waiting: Waiting[] = [];
  let isWorking = false;

  async function workOff(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, maxItems);
      try {
        const results = await work(group.map(({ item }) => item));
        for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isWorking = false;
  }

  return (item) => {
    const one: Waiting = { item, ...Promise.withResolvers<Result>() };
    waiting.push(one);
    if (!isWorking) void workOff();
    return one.promise;
  };
}
