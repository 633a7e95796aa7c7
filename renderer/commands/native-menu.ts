/**
 * Shows the console's commands in the desktop app's native menu: sends the list to the app, and runs the
 * command that was chosen there.
 */
import { useEffect } from 'react';
import { type CommandContext, offered } from './registry.ts';

let chosen: (id: string) => void = () => undefined;
let isListening = false;

export function useNativeMenu(context: CommandContext): void {
  useEffect(() => {
    const bridge = window.muster;
    if (bridge === undefined) return;
    chosen = (id) =>
      offered(context)
        .find((command) => command.id === id)
        ?.run(context);
    if (!isListening) bridge.onCommand((id) => chosen(id));
    isListening = true;
    void bridge.tellCommands(
      offered(context).map(({ id, title, group, keys }) => ({ id, title, group, keys: keys ?? null })),
    );
  }, [context]);
}
