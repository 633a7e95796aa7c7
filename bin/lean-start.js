// Memory of a process that starts, and then mostly waits (ADR 0013, ADR 0026).
import process from 'node:process';

const setFlags = (...flags) => {
  const v8 = process.getBuiltinModule('node:v8');
  for (const flag of flags) v8.setFlagsFromString(flag);
};

/**
 * What the start allocates would make V8 keep 8 MiB more for new objects, and optimizing code that runs once takes
 * 9 MiB. Compiled code is kept for each set of flags, so call this before the cache is enabled.
 */
export const startLean = () => setFlags('--semi-space-growth-factor=1', '--no-opt', '--no-maglev');

/** From now on, code that runs often is optimized. */
export const endLeanStart = () => setFlags('--opt', '--maglev');

/**
 * For a server: code is optimized from the beginning, but what the start allocates does not make V8 keep 8 MiB more
 * for new objects.
 */
export const startSmall = () => setFlags('--semi-space-growth-factor=1');

/** From now on, the space for new objects grows with the work, as V8 does by default. */
export const endSmallStart = () => setFlags('--semi-space-growth-factor=2');
