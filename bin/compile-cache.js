// Plain JavaScript, because it is loaded before anything that is to be cached.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Keeps compiled code for the next start, in the person's own cache folder: others could write to a shared
 * temporary folder.
 */
export function enableCompileCache() {
  module.enableCompileCache(folder());
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
  process.env.NODE_COMPILE_CACHE ??= folder();
}

function folder() {
  const { platform, env } = process;
  if (platform === 'win32')
    return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'svc', 'compiled');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'svc', 'compiled');
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(cache, 'svc', 'compiled');
}
