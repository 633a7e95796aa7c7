/** Whether a program has taken over the screen of the terminal, as editors and full-screen programs do. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';

const answerTimeoutMs = 1000;

/** Such a program reads keys one by one. False where that cannot be seen, as on Windows. */
export function isScreenTaken(): boolean {
  if (process.platform === 'win32') return false;
  let terminal: number;
  try {
    terminal = openSync('/dev/tty', 'r');
  } catch {
    return false;
  }
  try {
    const stdio: [number, 'pipe', 'ignore'] = [terminal, 'pipe', 'ignore'];
    const { stdout } = spawnSync('stty', ['-a'], { stdio, timeout: answerTimeoutMs, encoding: 'utf8' });
    return / -icanon\b/.test(` ${stdout ?? ''}`);
  } finally {
    closeSync(terminal);
  }
}
