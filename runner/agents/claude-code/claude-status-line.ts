/**
 * The status line of Claude Code in a terminal: the person's own, and below it what waits for the agent. The
 * runner keeps the text in a file, because Claude Code runs the command again and again.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { quoted } from '../hook-command.ts';

const StatusLine = z.looseObject({ type: z.literal('command'), command: z.string().min(1) });
const Settings = z.looseObject({ statusLine: StatusLine });

/** How often Claude Code shows what changed while it is idle. */
const refreshSeconds = 2;

/** Returns the person's own status line: of the folder, or else of all folders; null if there is none. */
export async function ownStatusLine(
  cwd: string,
  configFolder: string,
): Promise<z.infer<typeof StatusLine> | null> {
  const places = [
    join(cwd, '.claude', 'settings.local.json'),
    join(cwd, '.claude', 'settings.json'),
    join(configFolder, 'settings.json'),
  ];
  for (const place of places) {
    const text = await readFile(place, 'utf8').catch(() => null);
    if (text === null) continue;
    try {
      return Settings.parse(JSON.parse(text)).statusLine;
    } catch {
      // Without a status line, or nothing that Claude Code would read either.
    }
  }
  return null;
}

/** For `--settings`. Claude Code runs commands with a POSIX shell, on Windows with that of Git. */
export function statusLineSettings(
  own: z.infer<typeof StatusLine> | null,
  file: string,
): { statusLine: object } {
  const show = `cat ${quoted(file.replaceAll('\\', '/'))}`;
  return {
    statusLine: {
      refreshInterval: refreshSeconds,
      ...own,
      type: 'command',
      command: own === null ? show : `{ ${own.command}\n}; ${show}`,
    },
  };
}
