/** The commands of the screen that is shown, for the keyboard and the list of shortcuts. */
import { useEffect } from 'react';
import type { Command } from './registry.ts';

export interface ScreenCommand {
  id: string;
  title: string;
  keys: string;
  isRepeated?: boolean;
  run(): void;
}

const shown = new Set<readonly ScreenCommand[]>();

/** The first command of a key is the one that it means. */
export const screenCommands = (): Command[] =>
  [...shown]
    .flat()
    .filter(({ keys }, at, all) => all.findIndex((one) => one.keys === keys) === at)
    .map((command): Command => ({ ...command, group: 'On this screen' }));

/** Offers the commands while the component is mounted. `commands` must be stable between renders. */
export function useScreenCommands(commands: readonly ScreenCommand[]): void {
  useEffect(() => {
    shown.add(commands);
    return () => void shown.delete(commands);
  }, [commands]);
}
