// Memory of a process that starts, and then mostly waits for as long as an agent lives (ADR 0026).
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
