/** Work that waits until the browser has nothing else to do. */

const patienceMs = 3000;

/** Safari has no requestIdleCallback. Returns a function that cancels. */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(act, patienceMs);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: patienceMs });
  return () => cancelIdleCallback(handle);
}
