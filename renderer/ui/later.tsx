/** Parts of the page that are not needed at first. */
import { type ComponentType, createElement, useEffect, useState } from 'react';
import { whenIdle } from '../when-idle.ts';

const againMs = 5000;

/** Shows the part when its code is loaded: once the browser is idle, and again after a failure. `load` must be stable. */
export function Later({ load }: { load: () => Promise<ComponentType> }) {
  const [part, setPart] = useState<ComponentType | null>(null);
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function attempt(): Promise<void> {
      try {
        const loaded = await load();
        if (!isGone) setPart(() => loaded);
      } catch {
        if (!isGone) timer = setTimeout(() => void attempt(), againMs);
      }
    }
    const cancel = whenIdle(() => void attempt());
    return () => {
      isGone = true;
      cancel();
      clearTimeout(timer);
    };
  }, [load]);
  return part === null ? null : createElement(part);
}
