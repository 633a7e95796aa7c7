/** The PATH as the person's own terminal has it: an app started from a desktop gets a shorter one, without the folders agents are installed in. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Env } from '#protocol/paths.ts';
import { mergedPath, passedEnvironment, pathBetweenMarkers } from './spawn-plan.rules.ts';

const loginTimeoutMs = 5000;
const maxOutputLength = 256 * 1024;

/**
 * Returns the PATH that agents get. The login shell is asked when the PATH is first needed, because its startup files can be slow, and asked
 * again if it did not answer.
 */
export function createAgentPath(
  platform: string,
  env: Env,
  log: { warn(details: object, message: string): void },
): () => Promise<string> {
  let loginPath: Promise<string | null> | undefined;
  return async () => {
    loginPath ??= readLoginPath(platform, env).then((read) => {
      if (read === null && platform !== 'win32') {
        log.warn({}, 'the login shell did not tell its PATH; agents get that of the app');
        loginPath = undefined;
      }
      return read;
    });
    return mergedPath(platform, env.PATH ?? env.Path ?? '', await loginPath);
  };
}

/** Null where it cannot be told: no such shell, no answer within five seconds, Windows (which has one PATH for all). */
export async function readLoginPath(
  platform: string,
  env: Env,
  timeoutMs = loginTimeoutMs,
): Promise<string | null> {
  const shell = platform === 'win32' ? null : loginShell(env);
  if (shell === null) return null;
  const marker = `muster-${randomUUID()}`;
  // printenv: shells differ in how they write a list, not in what they export.
  const script = `echo ${marker}; printenv PATH; echo ${marker}`;
  const { promise, resolve } = Promise.withResolvers<string>();
  let output = '';
  const child = spawn(shell, ['-ilc', script], {
    env: passedEnvironment(platform, env),
    stdio: ['ignore', 'pipe', 'ignore'],
    // A session of its own: an interactive shell takes no terminal away from whoever started the app.
    detached: true,
  });
  // What lies there unread is read first: it may be this process that stood still, not the shell.
  const late = setTimeout(() => setImmediate(() => resolve(output)), timeoutMs);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < maxOutputLength) output += text;
  });
  child.on('error', () => resolve('')).on('close', () => resolve(output));
  const said = await promise;
  clearTimeout(late);
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    child.stdout.destroy();
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
  return pathBetweenMarkers(said, marker);
}

function loginShell(env: Env): string | null {
  if (env.SHELL !== undefined && isAbsolute(env.SHELL)) return env.SHELL;
  try {
    return userInfo().shell;
  } catch {
    return null;
  }
}
