/** The command line that starts this command again, for example for an agent. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** In a checkout, `npm start` is another script than the command. */
const sourceScript = import.meta.filename.endsWith('.ts') ? join(import.meta.dirname, 'muster') : null;

export function ownCommand(): { command: string; script: string } {
  return { command: process.execPath, script: sourceScript ?? realpathSync(process.argv[1] ?? '') };
}
