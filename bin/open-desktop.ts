/** The desktop app from a checkout, opened if its engine is installed and there is a screen. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Env } from '#protocol/paths.ts';
import { CommandFailure } from './command-failure.ts';
import { remark } from './output.ts';
import { sentences } from './sentences.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const engineFolder = join(root, 'node_modules', 'electron');
const fetchTimeoutMs = 10 * 60_000;
const remedy = 'Run "npm ci", and try again.';

/**
 * Returns why the app cannot show windows here; null if it can. Chromium does not start as root with its sandbox
 * on, and the app does not run without the sandbox.
 */
export function whyNoWindow(platform: string, env: Env, userId: number | undefined): string | null {
  if (platform !== 'linux') return env.SSH_CONNECTION === undefined ? null : 'this is a session over SSH';
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY)
    return 'there is no display (DISPLAY and WAYLAND_DISPLAY are not set)';
  return userId === 0 ? 'the desktop app does not run as root' : null;
}

/** Returns the engine's program; null if it was never downloaded. */
export function installedEngine(folder = engineFolder): string | null {
  try {
    const program = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/**
 * Downloads it with the package's own installer, which compares it with the checksums of the package. False:
 * it cannot be downloaded here.
 */
export function fetchEngine(folder = engineFolder): boolean {
  remark('downloading Electron for the desktop app, once (about 120 MiB)…');
  const { status } = spawnSync(process.execPath, [join(folder, 'install.js')], {
    stdio: 'ignore',
    timeout: fetchTimeoutMs,
  });
  if (status === 0) return true;
  return false;
}

function withoutWindow(reason: string): null {
  remark(`no window opens, because ${reason}; the console opens in a browser, at the address below`);
  return null;
}

/**
 * Returns null if there is no app to open here, after it has said why. Otherwise it resolves with the exit code of
 * the app. @throws CommandFailure.
 */
export function openDesktop(env: Env): Promise<number> | null {
  const reason = whyNoWindow(process.platform, env, process.getuid?.());
  if (reason !== null) return withoutWindow(reason);
  const engine = installedEngine() ?? (fetchEngine() ? installedEngine() : null);
  if (engine === null) return withoutWindow('Electron cannot be downloaded here');
  remark('building the desktop app…');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'electron', 'build.ts')], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new CommandFailure(
      sentences(`the desktop app cannot be built: ${stderr.trim().split('\n')[0] ?? ''}`, remedy),
    );
  remark('the desktop app is in the tray; if there is no tray, run "npm start" again to open its window');
  return new Promise((resolve, reject) => {
    // The engine does not run scripts, so the app runs the command on the Node of this process.
    const app = spawn(engine, [root], { stdio: 'inherit', env: { ...env, SVC_NODE: process.execPath } });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.kill(signal));
    app.on('error', (error) =>
      reject(new CommandFailure(sentences(`the desktop app cannot be started: ${error.message}`, remedy))),
    );
    app.on('exit', (code) => resolve(code ?? 1));
  });
}
