/** The clock of the broker, which keeps its jumps when the broker restarts. */
export interface SoakClock {
  /** How far it is ahead of the system's. */
  readonly aheadMs: number;
  /** How far the broker's clock has come: what passed, and all jumps, those back subtracted. */
  readonly simulatedMs: number;
  jump(byMs: number): Promise<void>;
  /** Tells the running broker again. */
  set(): Promise<void>;
}

export function createSoakClock(tell: (aheadMs: number) => Promise<unknown>): SoakClock {
  const startedAt = Date.now();
  let aheadMs = 0;
  const set = async (): Promise<void> => void (await tell(aheadMs));
  return {
    get aheadMs() {
      return aheadMs;
    },
    get simulatedMs() {
      return Date.now() - startedAt + aheadMs;
    },
    async jump(byMs) {
      aheadMs += byMs;
      await set();
    },
    set,
  };
}
