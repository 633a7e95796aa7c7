import { vi } from 'vitest';

/** What it reads, as soon as that does not throw; what it threw last after 30 seconds. */
export const until = <T>(read: () => T | Promise<T>): Promise<Awaited<T>> =>
  vi.waitFor(read, { timeout: 30_000, interval: 50 }) as Promise<Awaited<T>>;
