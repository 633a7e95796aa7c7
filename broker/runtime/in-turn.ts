/** Runs pieces of work one after the other, in the order asked for; one that fails does not keep the next from running. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = tail.then(work);
    tail = turn.catch(() => undefined);
    return turn;
  };
}
