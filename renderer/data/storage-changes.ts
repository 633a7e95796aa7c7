/** Changes of this browser's storage: in this tab, which reports them here, or in another tab. */
const listeners = new Set<() => void>();

/** To be called after a change in this tab, because the browser tells only the other ones. */
export function tellStorageChange(): void {
  for (const listener of listeners) listener();
}

/** Calls the listener after each change in any tab. Returns a function that ends it. */
export function subscribeToStorage(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('storage', tellStorageChange);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', tellStorageChange);
  };
}
