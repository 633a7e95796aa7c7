/**
 * Freezes an object with everything in it, and returns it. An object that is frozen already is taken to be
 * frozen as a whole.
 */
export function deepFrozen<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFrozen(part);
  return value;
}
