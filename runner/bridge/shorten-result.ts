/**
 * Results that are too long for an agent: shortened, with all of it in a file that the agent can read on this
 * machine.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const maxCharacters = 60_000;

export interface ShortResult {
  text: string;
  /** How many characters of the whole are in it. */
  shown: number;
}

/** `folder` is private to the run and deleted with it. */
export async function shortenResult(folder: string, text: string): Promise<ShortResult> {
  if (text.length <= maxCharacters) return { text, shown: text.length };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.txt`);
  await writeFile(path, text, { mode: 0o600 });
  const end = maxCharacters - (/[\ud800-\udbff]/.test(text.charAt(maxCharacters - 1)) ? 1 : 0);
  const note = `[truncated: ${end} of ${text.length} characters are shown; until this run ends, the full text is in the local file ${path}]`;
  return { text: `${text.slice(0, end)}\n${note}`, shown: end };
}
