/** Runs work on the same hash one after another; work on other hashes does not wait for it. */
export type HashTurns = <T>(hashes: readonly string[], work: () => Promise<T>) => Promise<T>;

export function createHashTurns(): HashTurns {
  const lastByHash = new Map<string, Promise<unknown>>();
  return (hashes, work) => {
    // All places in line are taken at once, so two pieces of work never wait for each other.
    const turn = Promise.all(hashes.map((hash) => lastByHash.get(hash))).then(work);
    const over = turn
      .catch(() => undefined)
      .then(() => {
        for (const hash of hashes) if (lastByHash.get(hash) === over) lastByHash.delete(hash);
      });
    for (const hash of hashes) lastByHash.set(hash, over);
    return turn;
  };
}
