/**
 * Windows ends the session of the person, for example at a shutdown. Only windows are told, and the app then
 * has to end by itself before the system ends it.
 */
import { BaseWindow } from 'electron';

/**
 * Calls `onEnd` when the session is about to end, and makes the system wait until the process has ended.
 * Returns a function that stops watching. On other systems, it does nothing.
 */
export function watchSessionEnd(platform: string, onEnd: () => void): () => void {
  if (platform !== 'win32') return () => undefined;
  // The console's window may not be open. This one has no page, so it costs no process.
  const watcher = new BaseWindow({ show: false });
  watcher.on('query-session-end', (event) => {
    event.preventDefault();
    onEnd();
  });
  watcher.on('session-end', onEnd);
  return () => watcher.destroy();
}
