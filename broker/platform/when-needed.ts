/** Returns a function that makes the value when it is first called. If that throws, the next call tries again. */
export function whenNeeded<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
