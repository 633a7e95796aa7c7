/** The context in which commands run, and the layer that they open. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useNativeMenu } from '../commands/native-menu.ts';
import { type Command, type CommandContext, offered } from '../commands/registry.ts';
import { screenCommands } from '../commands/screen-commands.ts';
import { listenForShortcuts } from '../commands/shortcuts.ts';
import { may } from '../data/rights.ts';
import { useSelf } from '../data/self.tsx';
import { useLogOut } from './log-out.ts';
import { applyTheme } from './theme.ts';

export function useCommandContext(): {
  context: CommandContext;
  layer: 'palette' | 'sheet' | null;
  close: () => void;
} {
  const navigate = useNavigate();
  const { mutate: logOut } = useLogOut();
  const self = useSelf();
  const [layer, setLayer] = useState<'palette' | 'sheet' | null>(null);
  const context = useMemo<CommandContext>(
    () => ({
      go: (to) => void navigate({ href: to, to: to.split(/[?#]/)[0] ?? to }),
      may: (operation) => may(operation, self.permissions),
      self: self.member,
      openPalette: () => setLayer('palette'),
      openSheet: () => setLayer('sheet'),
      setTheme: applyTheme,
      logOut,
    }),
    [navigate, logOut, self],
  );
  useEffect(
    () =>
      listenForShortcuts(
        () => [...screenCommands(), ...offered(context)],
        (command: Command) => command.run(context),
      ),
    [context],
  );
  useNativeMenu(context);
  return { context, layer, close: () => setLayer(null) };
}
