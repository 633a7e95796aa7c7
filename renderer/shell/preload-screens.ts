/** Loads the code of every screen while the browser has nothing else to do, so that screens open without the broker, too. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

const patienceMs = 3000;

/** Safari has no requestIdleCallback. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(act, patienceMs);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: patienceMs });
  return () => cancelIdleCallback(handle);
}

export function usePreloadedScreens(): void {
  const { routesById } = useRouter();
  useEffect(() => {
    const waiting = Object.entries(routesById).flatMap(([id, route]) =>
      id.startsWith('/app/') ? (route?.options?.component?.preload ?? []) : [],
    );
    let cancel = (): void => undefined;
    function next(): void {
      const preload = waiting.shift();
      if (preload !== undefined) cancel = whenIdle(() => void preload()?.then(next));
    }
    next();
    return () => cancel();
  }, [routesById]);
}
