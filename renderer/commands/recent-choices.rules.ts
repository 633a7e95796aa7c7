/** The choices in the palette, the newest first. Pure. */
import { keptList } from '../data/kept.rules.ts';

export const maxRecent = 12;
/** Entries have shorter ids. */
const maxIdLength = 200;

/** Returns the ids in a text that the browser kept. */
export const recentIn = (text: string | null): string[] =>
  keptList(text)
    .filter((id) => typeof id === 'string' && id.length <= maxIdLength)
    .slice(0, maxRecent) as string[];

export const withChoice = (recent: readonly string[], id: string): string[] =>
  [id, ...recent.filter((one) => one !== id)].slice(0, maxRecent);
