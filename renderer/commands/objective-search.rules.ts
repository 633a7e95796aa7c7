/** Finds objectives with the broker's search, which finds messages as well. */
import type { SearchReply } from '#protocol/search.ts';

const maxFound = 8;
/** Messages with the same words may fill pages; older objectives are then found with more words. */
const maxPages = 5;
const idSyntax = /^obj_[0-9a-z]{10}$/i;

/** Returns the ids of objectives, newest first. `q` may be an id itself. @throws what `ask` throws. */
export async function findObjectives(
  q: string,
  ask: (before: string | undefined) => Promise<SearchReply>,
): Promise<string[]> {
  if (idSyntax.test(q)) return [q.toLowerCase()];
  const ids: string[] = [];
  let before: string | undefined;
  for (let asked = 0; asked < maxPages && ids.length < maxFound; asked++) {
    const { results, next } = await ask(before);
    ids.push(...results.filter(({ kind }) => kind === 'objective').map(({ id }) => id));
    if (next === null) break;
    before = next;
  }
  return ids.slice(0, maxFound);
}
