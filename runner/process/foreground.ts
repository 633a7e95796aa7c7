/**
 * The lines that a run tells its person. While an agent has the terminal, a line in between would damage its screen, so
 * such lines are told when the agent has ended or has left the screen; the log of the run says the same at once.
 */
export interface Foreground {
  tell(line: string): void;
  /** The agent has the terminal from now on. `isTaken`: whether it uses the whole screen at the moment; always by default. */
  give(isTaken?: () => boolean): void;
  /** The agent has ended. */
  take(): void;
}

/** The newest ones. */
const maxHeld = 20;

export function createForeground(tell: (line: string) => void): Foreground {
  let isTaken = (): boolean => false;
  let held: string[] = [];
  function release(): void {
    const lines = held;
    held = [];
    for (const line of lines) tell(line);
  }
  return {
    tell(line) {
      held = [...held, line].slice(-maxHeld);
      if (!isTaken()) release();
    },
    give(whether = () => true) {
      isTaken = whether;
    },
    take() {
      isTaken = () => false;
      release();
    },
  };
}
