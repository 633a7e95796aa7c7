/** Loads the code of every screen, and of what screens start later, while the browser has nothing else to do, so that screens open without the broker, too. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { LazyScreen } from '../lazy-screen.ts';
import { whenIdle } from '../when-idle.ts';

/** Resolves also if it cannot be loaded. */
const preloadHighlighter = (): Promise<void> =>
  import('../ui/highlighter.ts').then(
    ({ loadHighlighterAhead }) => loadHighlighterAhead(),
    () => undefined,
  );

/** `layers`: what opens over the screens; it comes first. */
export function usePreloadedScreens(layers: readonly Pick<LazyScreen, 'preload'>[]): void {
  const { routesById } = useRouter();
  useEffect(() => {
    const screens = Object.entries(routesById).flatMap(([id, route]) =>
      id.startsWith('/app/') ? (route?.options?.component?.preload ?? []) : [],
    );
    const waiting = [...layers.map(({ preload }) => preload), ...screens, preloadHighlighter];
    let cancel = (): void => undefined;
    function next(): void {
      const preload = waiting.shift();
      if (preload !== undefined) cancel = whenIdle(() => void preload()?.then(next));
    }
    next();
    return () => cancel();
  }, [routesById, layers]);
}
