/** Loads the code of every screen, and of what screens start later, while the browser has nothing else to do, so that screens open without the broker, too. */
import { useEffect } from 'react';
import { type LazyScreen, preloads } from '../lazy-screen.ts';
import { whenIdle } from '../when-idle.ts';

/** Resolves also if it cannot be loaded. */
const preloadHighlighter = (): Promise<void> =>
  import('../ui/highlighter.ts').then(
    ({ loadHighlighterAhead }) => loadHighlighterAhead(),
    () => undefined,
  );

/** `layers`: what opens over the screens; it comes first. */
export function usePreloadedScreens(layers: readonly Pick<LazyScreen, 'preload'>[]): void {
  useEffect(() => {
    const waiting = all(layers);
    let cancel = (): void => undefined;
    function next(): void {
      const { value: preload } = waiting.next();
      if (preload !== undefined) cancel = whenIdle(() => void preload().then(next));
    }
    next();
    return () => cancel();
  }, [layers]);
}

function* all(layers: readonly Pick<LazyScreen, 'preload'>[]) {
  for (const { preload } of layers) yield preload;
  yield* preloads;
  yield preloadHighlighter;
}
