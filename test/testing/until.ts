/** Waiting for something that comes by itself. */
import { setTimeout as after } from 'node:timers/promises';

const lookMs = 50;

/** Resolves when `isTrue` says so. @throws Error if it does not within `withinMs`, a minute by default. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 60_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    await after(lookMs);
  }
}
