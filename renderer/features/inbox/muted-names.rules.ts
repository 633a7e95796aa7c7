/** The muted conversations in the form in which the broker reads them. Pure. */

/** Returns the names, separated by commas: the newest, which are last in the set, as many as have `max` characters together. */
export function mutedNames(muted: ReadonlySet<string>, max: number): string {
  let names = '';
  for (const name of [...muted].reverse()) {
    if (names.length + name.length >= max) break;
    names += names === '' ? name : `,${name}`;
  }
  return names;
}
