/** In place of a screen that could not be shown; the frame around it stays. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ScreenCodeError } from '../lazy-screen.ts';
import { sentenceOf } from '../ui/sentence-of.ts';
import { ErrorState } from '../ui/states.tsx';

const againMs = 2000;
const reloadedFor = 'muster.reloadedFor';

/**
 * The broker answers, but does not have the code anymore, because it was updated: then the page itself is out of date. Each missing part
 * reloads the page once.
 */
async function reloadIfOutdated(error: ScreenCodeError): Promise<void> {
  const reply = await fetch('/healthz', { cache: 'no-store' });
  const part = String(error.cause);
  if (!reply.ok || sessionStorage.getItem(reloadedFor) === part) return;
  sessionStorage.setItem(reloadedFor, part);
  window.location.reload();
}

async function loadAgain(error: ScreenCodeError): Promise<boolean> {
  try {
    await error.retry();
    return true;
  } catch {
    await reloadIfOutdated(error).catch(() => undefined);
    return false;
  }
}

export function ScreenError({ error, reset }: ErrorComponentProps) {
  const code = error instanceof ScreenCodeError ? error : null;
  useEffect(() => {
    if (code === null) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = async (): Promise<void> => {
      const isThere = await loadAgain(code);
      if (isOver) return;
      if (isThere) reset();
      else timer = setTimeout(again, againMs);
    };
    timer = setTimeout(again, againMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [code, reset]);
  if (code === null)
    return <ErrorState error={new Error(`This screen failed. ${sentenceOf(error)}`)} onRetry={reset} />;
  return (
    <ErrorState
      error={
        new Error(
          'This screen could not be loaded, because the broker cannot be reached. It opens by itself when the connection is back.',
        )
      }
      onRetry={() => void loadAgain(code).then((isThere) => isThere && reset())}
    />
  );
}
