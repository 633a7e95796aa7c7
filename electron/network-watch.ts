/** Tells when this machine's addresses are others: the engine has no event for it. */
import { networkInterfaces } from 'node:os';

const checkIntervalMs = 15_000;

export interface NetworkWatchDeps {
  onChange(): void;
  /** What the system says; given by tests. */
  interfaces?: typeof networkInterfaces;
  intervalMs?: number;
}

/** Answers the function that ends it. */
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
