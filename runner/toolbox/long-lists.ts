/** How much of a long list a model is shown (specification/runner.md#toolbox-rules). */
import { firstOf, type Pages } from '#protocol/pages.ts';

/** Lines of one list. */
export const maxListed = 500;

/** `command` lists everything. */
export const restNote = (command: string): string =>
  `only the first ${maxListed} are listed; the command "${command}" lists all of them`;

/** Returns the first items, and a note if there are more. @throws what the pages throw. */
export async function listedOf<T>(
  pages: Pages<T>,
  command: string,
): Promise<{ items: T[]; notes: string[] }> {
  const { items, hasMore } = await firstOf(pages, maxListed);
  return { items, notes: hasMore ? [restNote(command)] : [] };
}
