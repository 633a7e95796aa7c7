/**
 * What a run tells its person. While an agent has the terminal, a line in between would damage its screen, so
 * such lines are told when the agent has ended; the log of the run says the same at once.
 */
export interface Foreground {
  tell(line: string): void;
  /** The agent has the terminal from now on. */
  give(): void;
  /** The agent has ended. */
  take(): void;
}

/** The newest ones. */
const maxHeld = 20;

export function createForeground(tell: (line: string) => void): Foreground {
  let held: string[] | null = null;
  return {
    tell(line) {
      if (held === null) tell(line);
      else held = [...held, line].slice(-maxHeld);
    },
    give() {
      held ??= [];
    },
    take() {
      const lines = held ?? [];
      held = null;
      for (const line of lines) tell(line);
    },
  };
}
