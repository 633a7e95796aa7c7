/** Reports when this machine's addresses change, because Electron has no event for it. */
import { networkInterfaces } from 'node:os';

const checkIntervalMs = 15_000;

export interface NetworkWatchDeps {
  onChange(): void;
  /** Reads the addresses from the system; replaced in tests. */
  interfaces?: typeof networkInterfaces;
  intervalMs?: number;
}

/** Returns a function that stops watching. */
export function watchNetwork({
  onChange,
  interfaces = networkInterfaces,
  intervalMs = checkIntervalMs,
}: NetworkWatchDeps): () => void {
  const seen = (): string =>
    Object.values(interfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal }) => !internal)
      .map(({ address }) => address)
      .sort()
      .join();
  let last = seen();
  const timer = setInterval(() => {
    const now = seen();
    if (now === last) return;
    last = now;
    onChange();
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
