/** The page names its commands for the native menu (design "Habits people expect"). */
import { z } from 'zod';
import { channels } from '../bridge.ts';
import type { BridgeWord } from '../bridge-words.ts';
import type { AppMenuView } from './app-menu.ts';

const line = (max: number) => z.string().min(1).max(max);
const Commands = z
  .array(z.strictObject({ id: line(64), title: line(80), group: line(32), keys: line(16).nullable() }))
  .max(100);

export function serveMenuBridge({ handle, menu }: { handle: BridgeWord; menu: AppMenuView }): void {
  handle(channels.commands, Commands, (commands) => {
    menu.show(commands);
    return null;
  });
}
