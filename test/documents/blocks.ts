/** The commands of a document: the lines of its code blocks without a language, by the heading above. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../testing/build-once.ts';

export interface DocumentedCommand {
  heading: string;
  command: string;
}

export function commandsOf(document: string): DocumentedCommand[] {
  const text = readFileSync(join(root, document), 'utf8');
  const found: DocumentedCommand[] = [];
  let heading = '';
  let isCode = false;
  let isCommands = false;
  for (const line of text.split('\n')) {
    const fence = /^```(\S*)/.exec(line);
    if (fence !== null) {
      isCode = !isCode;
      isCommands = isCode && fence[1] === '';
    } else if (isCommands && line.trim() !== '') found.push({ heading, command: line.trim() });
    else if (!isCode && line.startsWith('#')) heading = line.replace(/^#+ /, '');
  }
  return found;
}
