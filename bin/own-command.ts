/** How this command is started again, by an agent for example: the same program and the same script. */
import { realpathSync } from 'node:fs';
import process from 'node:process';

export function ownCommand(): { command: string; script: string } {
  return { command: process.execPath, script: realpathSync(process.argv[1] ?? '') };
}
