/** The desktop app from a checkout, opened if its engine is installed and there is a screen. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Env } from '#protocol/paths.ts';
import { CommandFailure } from './command-failure.ts';
import { remark } from './output.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const engineFolder = join(root, 'node_modules', 'electron');
const fetchTimeoutMs = 10 * 60_000;

/**
 * Chromium does not start as root with its sandbox on, and without the sandbox the app is not what it
 * promises.
 */
export function hasScreen(platform: string, env: Env, userId: number | undefined): boolean {
  if (platform !== 'linux') return env.SSH_CONNECTION === undefined;
  return userId !== 0 && Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
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
  remark('fetching the engine of the desktop app, once (about 120 MB)…');
  const { status } = spawnSync(process.execPath, [join(folder, 'install.js')], {
    stdio: 'ignore',
    timeout: fetchTimeoutMs,
  });
  if (status === 0) return true;
  remark('it cannot be fetched here; the broker runs without the app, its console is for the browser');
  return false;
}

/**
 * Returns null if there is no app to open here. Otherwise it resolves with the exit code of the app. @throws
 * CommandFailure.
 */
export function openDesktop(env: Env): Promise<number> | null {
  if (!hasScreen(process.platform, env, process.getuid?.())) return null;
  const engine = installedEngine() ?? (fetchEngine() ? installedEngine() : null);
  if (engine === null) return null;
  remark('building the desktop app…');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'electron', 'build.ts')], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new CommandFailure(`the desktop app was not built: ${stderr.trim().split('\n')[0] ?? ''}`);
  remark('the app is in the tray; without a tray, npm start again opens its window');
  return new Promise((resolve, reject) => {
    const app = spawn(engine, [root], { stdio: 'inherit', env: { ...env } });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.kill(signal));
    app.on('error', (error) =>
      reject(new CommandFailure(`the desktop app does not start: ${error.message}`)),
    );
    app.on('exit', (code) => resolve(code ?? 1));
  });
}
