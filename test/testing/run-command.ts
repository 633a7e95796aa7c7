/** Runs the commands of the test scripts. */
import { spawn } from 'node:child_process';
import process from 'node:process';

export interface CommandOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Holds the output back and returns it. */
  isQuiet?: boolean;
}

export interface CommandEnd {
  /** 1 if a signal ended it or if it could not be started. */
  code: number;
  /** Its output, if it was quiet. */
  output: string;
  seconds: number;
}

export function runCommand(
  command: string,
  args: readonly string[],
  { env = {}, cwd, isQuiet = false }: CommandOptions = {},
): Promise<CommandEnd> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      // npm's commands are scripts there.
      shell: process.platform === 'win32',
      env: { ...process.env, ...env },
      ...(cwd !== undefined && { cwd }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const end = (code: number): void =>
      resolve({ code, output, seconds: (performance.now() - startedAt) / 1000 });
    child.on('error', (error) => {
      output += `${error.message}\n`;
      if (!isQuiet) console.error(error.message);
      end(1);
    });
    child.on('close', (code) => end(code ?? 1));
  });
}
