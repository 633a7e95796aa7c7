export const oldestNode: number;
export interface NodeChoice {
  /** The program of this process. */
  running: string;
  runningVersion: string;
  /** The program of the optional package `node`; null if there is none. */
  installed: string | null;
  /** Asks the installed program; null if it does not run. */
  installedVersion(): string | null;
}
export function chooseNode(choice: NodeChoice): string | null;
export function ownNode(): Promise<string | null>;
export function reportMissingNode(): void;
export function runOnOwnNode(
  script: string,
  args: readonly string[],
  load: () => Promise<unknown>,
): Promise<void>;
