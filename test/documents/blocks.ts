/** The commands of a document: the lines of its code blocks for a shell, by the heading above. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../testing/build-once.ts';

export interface DocumentedCommand {
  heading: string;
  /** With the lines that it reads, if it ends with `<<'END'`. */
  command: string;
}

export function commandsOf(document: string): DocumentedCommand[] {
  const text = readFileSync(join(root, document), 'utf8');
  const found: DocumentedCommand[] = [];
  let heading = '';
  let isCode = false;
  let isCommands = false;
  let input: DocumentedCommand | null = null;
  for (const line of text.split('\n')) {
    const fence = /^```(\S*)/.exec(line);
    if (fence !== null) {
      isCode = !isCode;
      isCommands = isCode && ['', 'sh'].includes(fence[1] ?? '');
    } else if (input !== null) {
      input.command += `\n${line}`;
      if (line === 'END') input = null;
    } else if (isCommands && line.trim() !== '') {
      const one = { heading, command: line.trim() };
      found.push(one);
      if (line.endsWith("<<'END'")) input = one;
    } else if (!isCode && line.startsWith('#')) heading = line.replace(/^#+ /, '');
  }
  return found;
}
