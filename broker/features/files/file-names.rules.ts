/** Files by words in their names (specification/files.md#finding). Pure. */
import { nameOf } from './fs-path.rules.ts';

/** Without the difference of upper and lower case, and in the form in which paths are stored. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Returns whether each word of `q` is in the name at the end of a path. */
export function nameMatcher(q: string): (path: string) => boolean {
  const words = folded(q)
    .split(/\s+/u)
    .filter((word) => word !== '');
  return (path) => {
    const name = folded(nameOf(path));
    return words.every((word) => name.includes(word));
  };
}
