/** Keeps macOS from slowing down the broker (App Nap) while other machines depend on it. */
import { powerSaveBlocker } from 'electron';

export interface Awake {
  /** Call it with the present state as often as needed. */
  set(isNeeded: boolean): void;
}

export function createAwake(): Awake {
  let blocker: number | null = null;
  return {
    set(isNeeded) {
      if (isNeeded && blocker === null) blocker = powerSaveBlocker.start('prevent-app-suspension');
      if (isNeeded || blocker === null) return;
      powerSaveBlocker.stop(blocker);
      blocker = null;
    },
  };
}
