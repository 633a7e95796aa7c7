/** Types commands of documents, each into a terminal of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';

export interface Typed {
  child: ChildProcess;
  /** The screen, with what was typed. */
  said(): string;
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Types an answer and Enter. */
  answer(text: string): void;
  /** Presses Ctrl+C and waits for the end. */
  interrupt(): Promise<void>;
  ended: Promise<number | null>;
}

export interface Keyboard {
  /** The environment of the commands; changes count for the following ones. */
  env: Record<string, string>;
  type(command: string): Typed;
  /** Types a command and waits for its end. @throws Error if it does not exit with `code`, which is 0 by default. */
  run(command: string, code?: number): Promise<string>;
  /** Kills what is left. */
  close(): void;
}

/** Ctrl+C reaches every process of the terminal: that of npm or of a shell may say that it was interrupted. */
const interrupted = [0, 130];

export function keyboard(cwd: string, env: Record<string, string>): Keyboard {
  const left = new Set<ChildProcess>();
  function type(command: string): Typed {
    const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd, env });
    left.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    const ended = once(child, 'close').then(([code]) => {
      left.delete(child);
      return code as number | null;
    });
    return {
      child,
      said: () => text,
      async shows(pattern) {
        await expect.poll(() => text, { timeout: 120_000 }).toMatch(pattern);
        const found = pattern.exec(text);
        if (found === null) throw new Error(`"${pattern}" was not shown`);
        return found;
      },
      answer: (line) => void child.stdin.write(`${line}\r`),
      async interrupt() {
        child.stdin.write('\x03');
        expect(interrupted).toContain(await ended);
      },
      ended,
    };
  }
  return {
    env,
    type,
    async run(command, expected = 0) {
      const typed = type(command);
      const code = await typed.ended;
      if (code !== expected) throw new Error(`${command}: exit code ${code}\n${typed.said()}`);
      return typed.said();
    },
    close() {
      for (const child of left) child.kill('SIGKILL');
    },
  };
}
