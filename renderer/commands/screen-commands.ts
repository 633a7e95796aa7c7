/** The commands of the screen that is shown, for the keyboard and the list of shortcuts. */
import { type RefObject, useEffect } from 'react';
import type { Command } from './registry.ts';

export interface ScreenCommand {
  id: string;
  title: string;
  keys: string;
  isRepeated?: boolean;
  run(): void;
}

interface Shown {
  commands: readonly ScreenCommand[];
  /** The part of the screen that they are about. */
  region: RefObject<HTMLElement | null> | undefined;
}

const shown = new Set<Shown>();

const hasFocus = ({ region }: Shown): boolean => region?.current?.contains(document.activeElement) === true;

/** A key means the command of the region that has the focus, or else the first one that has this key. */
export const screenCommands = (): Command[] =>
  [...shown]
    .sort((a, b) => Number(hasFocus(b)) - Number(hasFocus(a)))
    .flatMap(({ commands }) => commands)
    .filter(({ keys }, at, all) => all.findIndex((one) => one.keys === keys) === at)
    .map((command): Command => ({ ...command, group: 'On this screen' }));

/** Offers the commands while the component is mounted. `commands` must be stable between renders. */
export function useScreenCommands(
  commands: readonly ScreenCommand[],
  region?: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    const own = { commands, region };
    shown.add(own);
    return () => void shown.delete(own);
  }, [commands, region]);
}
