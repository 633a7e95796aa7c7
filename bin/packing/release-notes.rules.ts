/** Returns the text of a version's section of the changelog, without its heading; null if it has none. */
export function notesOf(changelog: string, version: string): string | null {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} `));
  if (start < 0) return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('## '));
  return `${(end < 0 ? rest : rest.slice(0, end)).join('\n').trim()}\n`;
}
