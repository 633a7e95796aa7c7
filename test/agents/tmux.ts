/** A terminal, 120 by 40 by default, for a program under test: what is typed reaches it, and its screen can be read. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { programPath } from '../testing/programs.ts';

export interface Terminal {
  /** The text on the screen. */
  screen(): string;
  type(text: string): void;
  /** Presses a key by its tmux name, such as `Escape`. */
  press(key: string): void;
  /** Ends everything in it. */
  close(): void;
}

/** Starts the command, whose words need no quoting by the caller, in a terminal of its own. */
export function openTerminal(
  command: readonly string[],
  { cwd, env, columns = 120 }: { cwd: string; env: Record<string, string>; columns?: number },
): Terminal {
  const program = programPath('tmux');
  const server = `muster-${randomUUID()}`;
  const tmux = (...args: string[]): string =>
    execFileSync(program, ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8', cwd, env });
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  // The program's last output stays on the screen.
  tmux('new-session', '-d', '-s', 'it', '-x', String(columns), '-y', '40', `${quoted}; cat`);
  return {
    screen: () => tmux('capture-pane', '-p', '-t', 'it'),
    type: (text) => void tmux('send-keys', '-t', 'it', '-l', text),
    press: (key) => void tmux('send-keys', '-t', 'it', key),
    close() {
      spawnSync(program, ['-L', server, 'kill-server'], { env });
    },
  };
}
