/** How many of something each key may have at a time; what exceeds it is refused at once. */
export interface Slots {
  /** Slots of one key. */
  readonly max: number;
  /** Returns what gives the slot back, which may be called again; null if the key has no slot left. */
  take(key: string): (() => void) | null;
}

export function createSlots(max: () => number): Slots {
  const takenByKey = new Map<string, number>();
  return {
    get max() {
      return max();
    },
    take(key) {
      const taken = takenByKey.get(key) ?? 0;
      if (taken >= max()) return null;
      takenByKey.set(key, taken + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = (takenByKey.get(key) ?? 0) - 1;
        if (left > 0) takenByKey.set(key, left);
        else takenByKey.delete(key);
      };
    },
  };
}
