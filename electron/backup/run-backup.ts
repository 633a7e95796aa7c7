/** Runs `muster backup --to <folder>` as a process of its own, so that the broker's event loop stays free. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';

export interface BackupProgram {
  node: string;
  script: string;
  env: Readonly<Record<string, string>>;
}

export interface BackupOutcome {
  isDone: boolean;
  /** One sentence for the person. */
  text: string;
}

export interface RunningBackup {
  outcome: Promise<BackupOutcome>;
  stop(): void;
}

const maxOutput = 64 * 1024;

function outcomeOf(code: number | null, said: string, complained: string): BackupOutcome {
  const line = complained.trim().split('\n').at(-1) ?? '';
  if (code === 0) return { isDone: true, text: said.trim() };
  const why = line.replace(/^muster: /, '') || 'the backup was stopped';
  return { isDone: false, text: why };
}

export function runBackup({ node, script, env }: BackupProgram, folder: string): RunningBackup {
  const child = spawn(node, [script, 'backup', '--to', folder], {
    cwd: homedir(),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let said = '';
  let complained = '';
  const { promise, resolve } = Promise.withResolvers<BackupOutcome>();
  child.on('error', (error) =>
    resolve({ isDone: false, text: `the backup cannot be started: ${error.message}` }),
  );
  // Without free file descriptors, the process has no pipes either.
  if (child.pid !== undefined) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-maxOutput);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complained = (complained + text).slice(-maxOutput);
    });
  }
  child.on('close', (code) => resolve(outcomeOf(code, said, complained)));
  return { outcome: promise, stop: () => void child.kill() };
}
