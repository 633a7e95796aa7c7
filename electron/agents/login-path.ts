/**
 * The PATH of the person's own terminal. An app that is started from a desktop gets a shorter one, without
 * the folders in which agents are installed.
 */
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
        log.warn({}, 'the login shell did not report its PATH; agents get the PATH of the app');
        loginPath = undefined;
      }
      return read;
    });
    return mergedPath(platform, env.PATH ?? env.Path ?? '', await loginPath);
  };
}

/**
 * Returns null if the PATH cannot be read: there is no such shell, it does not answer within five seconds, or
 * the system is Windows, which has one PATH for all programs.
 */
export async function readLoginPath(
  platform: string,
  env: Env,
  timeoutMs = loginTimeoutMs,
): Promise<string | null> {
  const shell = platform === 'win32' ? null : loginShell(env);
  if (shell === null) return null;
  const marker = `muster-${randomUUID()}`;
  // `printenv`, because shells print lists differently but export the same text.
  const script = `echo ${marker}; printenv PATH; echo ${marker}`;
  const { promise, resolve } = Promise.withResolvers<string>();
  let output = '';
  const child = spawn(shell, ['-ilc', script], {
    env: passedEnvironment(platform, env),
    stdio: ['ignore', 'pipe', 'ignore'],
    // A session of its own, so that an interactive shell cannot take the terminal from which the app was
    // started.
    detached: true,
  });
  // Reads pending output first, because this process may have been suspended rather than the shell.
  const late = setTimeout(() => setImmediate(() => resolve(output)), timeoutMs);
  child.on('error', () => resolve('')).on('close', () => resolve(output));
  // Without free file descriptors, the process has no pipes either.
  if (child.pid !== undefined)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maxOutputLength) output += text;
    });
  const said = await promise;
  clearTimeout(late);
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    child.stdout.destroy();
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process is already gone.
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
