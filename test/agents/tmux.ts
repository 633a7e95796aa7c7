/** A terminal of 120 by 40 for a program under test: what is typed reaches it, and its screen can be read. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

export interface Terminal {
  /** The text on the screen. */
  screen(): string;
  type(text: string): void;
  /** Presses a key by its tmux name, such as `Escape`. */
  press(key: string): void;
  /** Ends everything in it. */
  close(): void;
}

/** Debian's tmux. It is installed if it is missing and the user is root; otherwise, an error says what to install. */
function requireTmux(): void {
  const isThere = (): boolean => spawnSync('tmux', ['-V']).status === 0;
  if (isThere()) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const install = 'apt-get update >/dev/null 2>&1; apt-get install -y --no-install-recommends tmux';
    spawnSync('flock', [join(tmpdir(), 'muster-tmux.lock'), 'sh', '-c', install], { stdio: 'inherit' });
    if (isThere()) return;
  }
  throw new Error('the terminal tests need tmux: apt-get install tmux');
}

/** Starts the command, whose words need no quoting by the caller, in a terminal of its own. */
export function openTerminal(
  command: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Terminal {
  requireTmux();
  const server = `muster-${randomUUID()}`;
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8', cwd, env });
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  // What it says last stays on the screen.
  tmux('new-session', '-d', '-s', 'it', '-x', '120', '-y', '40', `${quoted}; cat`);
  return {
    screen: () => tmux('capture-pane', '-p', '-t', 'it'),
    type: (text) => void tmux('send-keys', '-t', 'it', '-l', text),
    press: (key) => void tmux('send-keys', '-t', 'it', key),
    close() {
      spawnSync('tmux', ['-L', server, 'kill-server'], { env });
    },
  };
}
