/** The clock of the broker, which survives its restarts, and the time that it has shown to pass. */
export interface SoakClock {
  /** How far it is ahead of the system's. */
  readonly aheadMs: number;
  /** The system's time that passed and all jumps forward. */
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
