import { vi } from 'vitest';

/** Returns what `read` returns as soon as it does not throw. @throws its last error after 60 seconds. */
export const until = <T>(read: () => T | Promise<T>): Promise<Awaited<T>> =>
  vi.waitFor(read, { timeout: 60_000, interval: 50 }) as Promise<Awaited<T>>;
