/** How this command is started again, for example by an agent: the same program and the same script. */
import { realpathSync } from 'node:fs';
import process from 'node:process';

export function ownCommand(): { command: string; script: string } {
  return { command: process.execPath, script: realpathSync(process.argv[1] ?? '') };
}
