/** The pager: PAGER, or less. It starts when the output is longer than the terminal. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from './display-width.ts';
import { endOutput, type OutputTarget } from './output.ts';

export interface Pager extends OutputTarget {
  /** Resolves when the person has quit the pager, and everything else is printed. */
  end(): Promise<void>;
}

/** Of a shell that does not find the program, or cannot run it. */
const notStarted = [126, 127];

export function createPager(): Pager {
  const waiting: { stream: NodeJS.WriteStream; text: string }[] = [];
  let rows = 0;
  let running: ReturnType<typeof startProgram> | undefined;
  return {
    print(text) {
      rows += rowsOf(text);
      if (running === undefined && rows < process.stdout.rows) {
        waiting.push({ stream: process.stdout, text });
        return;
      }
      if (running === undefined) {
        running = startProgram();
        const remarks = waiting.filter(({ stream }) => stream === process.stderr);
        for (const { stream, text: early } of waiting.splice(0, waiting.length, ...remarks))
          if (stream === process.stdout) running.write(early);
      }
      running.write(text);
    },
    // Text on the terminal would disturb the pager.
    remark: (text) => void waiting.push({ stream: process.stderr, text }),
    async end() {
      await running?.end();
      for (const { stream, text } of waiting.splice(0)) stream.write(text);
    },
  };
}

function rowsOf(text: string): number {
  const lines = stripVTControlCharacters(text).replace(/\n$/, '').split('\n');
  const columns = process.stdout.columns || Number.POSITIVE_INFINITY;
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
}

/** On Windows, PAGER is the name of a program, without arguments. */
function startProgram() {
  const { PAGER } = process.env;
  const child = spawn(PAGER ?? 'less', PAGER === undefined ? ['-FRX'] : [], {
    shell: PAGER !== undefined && process.platform !== 'win32',
    stdio: ['pipe', 'inherit', 'inherit'],
    // As git does: a `less` that PAGER names shows colors, too.
    env: { LESS: 'FRX', ...process.env },
  });
  const { promise: closed, resolve: close } = Promise.withResolvers<{ hasStarted: boolean }>();
  child.once('error', () => close({ hasStarted: false }));
  child.once('close', (code) => close({ hasStarted: !notStarted.includes(code ?? 0) }));
  // It may have quit before it has read everything.
  child.stdin.on('error', () => undefined);
  // Ctrl+C is for the pager, which restores the terminal when it ends.
  const ignore = (): void => undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    void closed.then(() => process.exit(128 + 15));
  };
  process.on('SIGINT', ignore).on('SIGTERM', stop);
  const texts: string[] = [];
  let isWritten = false;
  let isDirect = false;
  const over = closed.then(({ hasStarted }) => {
    process.off('SIGINT', ignore).off('SIGTERM', stop);
    isDirect = !hasStarted;
    if (isDirect) process.stdout.write(texts.join(''));
    else if (!isWritten) endOutput(0);
  });
  return {
    write(text: string): void {
      if (isDirect) process.stdout.write(text);
      else {
        texts.push(text);
        child.stdin.write(text);
      }
    },
    end(): Promise<void> {
      isWritten = true;
      child.stdin.end();
      return over;
    },
  };
}
