/** Those who are told when something outside of React changes. */
export function createListeners<News extends readonly unknown[] = []>() {
  const listeners = new Set<(...news: News) => void>();
  return {
    /** Returns a function that ends it. */
    subscribe(listener: (...news: News) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(...news: News): void {
      for (const listener of listeners) listener(...news);
    },
  };
}
