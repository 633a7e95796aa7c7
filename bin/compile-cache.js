// Plain JavaScript, because it is loaded before anything that is to be cached.
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

/**
 * Keeps compiled code for the next start, in the person's own cache folder: others could write to a shared
 * temporary folder.
 */
export function enableCompileCache() {
  if (isPrivate(folder())) module.enableCompileCache(folder());
}

/**
 * Makes the folder as private as its content has to be: whoever writes to it decides which code the next start runs.
 * Compiled code that others could have written is deleted. False if that fails, for example on a read-only disk.
 */
function isPrivate(path) {
  if (process.platform === 'win32') return true;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const loose = [dirname(path), path].filter((one) => (statSync(one).mode & 0o022) !== 0);
    if (loose.length > 0) rmSync(path, { recursive: true });
    for (const one of loose) {
      mkdirSync(one, { recursive: true, mode: 0o700 });
      chmodSync(one, 0o700);
    }
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes what was compiled until now. Otherwise only a process that ends by itself does, and programs that are
 * killed would compile everything again each time, which costs 17 MiB for TypeScript alone.
 */
export function keepCompiledCode() {
  module.flushCompileCache();
}

/**
 * Threads that are started after this use it as well. So would child processes, so this is only for a process
 * that starts none.
 */
export function shareCompileCacheWithThreads() {
  if (module.getCompileCacheDir() !== undefined) process.env.NODE_COMPILE_CACHE ??= folder();
}

function folder() {
  const { platform, env } = process;
  if (platform === 'win32')
    return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'svc', 'compiled');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'svc', 'compiled');
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(cache, 'svc', 'compiled');
}
