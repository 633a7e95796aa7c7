/** The host that a link in a text leads to, if its own words do not say it. */

/**
 * Returns the host to show behind a link; null if the words are the address with exactly this host.
 * @param href of http or https
 */
export function hostBehind(words: string, href: string): string | null {
  const { host, username } = new URL(href);
  const [shown = ''] = words
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .split(/[/?#]/);
  return shown === host && username === '' ? null : host;
}
