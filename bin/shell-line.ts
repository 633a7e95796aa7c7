/** Lines for a person to paste into a terminal. */
import process from 'node:process';

/** Returns one word for the shell of this platform, whatever it contains. */
export function quoted(word: string, platform: string = process.platform): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word) && !(platform !== 'win32' && word.includes('\\'))) return word;
  return always(word, platform);
}

function always(word: string, platform: string): string {
  return platform === 'win32' ? `'${word.replaceAll("'", "''")}'` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command with one environment variable set: for a POSIX shell, or for PowerShell and cmd. */
export function withVariable(
  name: string,
  value: string,
  command: string,
  platform: string = process.platform,
): string[] {
  if (platform !== 'win32') return [`${name}=${always(value, platform)} ${command}`];
  return [
    `$env:${name}=${always(value, platform)}; ${command}   (PowerShell)`,
    `set "${name}=${value}" && ${command}   (cmd)`,
  ];
}
