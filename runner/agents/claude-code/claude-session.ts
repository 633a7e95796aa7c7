/** The conversation that Claude Code continues after a restart (seen on 2.1.197). */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AgentSetting } from '../agent.ts';

/** Options by which the person chooses the conversation. */
const ownChoices = [
  '--resume',
  '-r',
  '--continue',
  '-c',
  '--session-id',
  '--from-pr',
  '--no-session-persistence',
];

/** Whether the file begins like a conversation. */
async function isReadable(path: string): Promise<boolean> {
  const lines = createInterface({ input: createReadStream(path) });
  try {
    for await (const line of lines) {
      JSON.parse(line);
      return true;
    }
  } catch {
    // There is no such file, or it is damaged.
  } finally {
    lines.close();
  }
  return false;
}

/** Claude Code keeps a file per conversation, in a folder per working folder. */
async function exists(id: string, configFolder: string): Promise<boolean> {
  const projects = join(configFolder, 'projects');
  const folders = await readdir(projects).catch(() => []);
  for (const folder of folders) if (await isReadable(join(projects, folder, `${id}.jsonl`))) return true;
  return false;
}

/**
 * Returns the conversation to continue; null for none, also if it no longer exists or the person chooses one.
 * `configFolder`: Claude Code's own.
 */
export async function continuedSession(
  { args, mode, conversation, log }: Pick<AgentSetting, 'args' | 'mode' | 'conversation' | 'log'>,
  configFolder: string,
): Promise<string | null> {
  const { previous } = conversation;
  const hasChosen = args.some((arg) => ownChoices.some((name) => arg === name || arg.startsWith(`${name}=`)));
  if (mode !== 'owned' || previous === null || hasChosen) return null;
  // The id becomes an argument and a part of a path.
  if (/^[0-9a-f-]{36}$/.test(previous) && (await exists(previous, configFolder))) return previous;
  log('the conversation of the last run no longer exists; a new one begins', { conversation: previous });
  return null;
}
