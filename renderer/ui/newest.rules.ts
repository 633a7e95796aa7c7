/** A memory that cannot grow without bound. Pure, except for the set that it is given. */

/** Adds the text as the newest one, and removes the oldest ones if there are more than `max`. */
export function rememberNewest(texts: Set<string>, text: string, max: number): void {
  texts.delete(text);
  texts.add(text);
  for (const oldest of texts) {
    if (texts.size <= max) return;
    texts.delete(oldest);
  }
}
