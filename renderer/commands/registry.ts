/**
 * Every command of the console, once: the palette, the list of shortcuts, tooltips, and native menus come
 * from here (specification/console.md#habits).
 */
import type { OperationId } from '#protocol/operations.ts';
import { formatScope } from '#protocol/scope.ts';
import { askToWrite } from '../features/conversations/asked-to-write.ts';

export interface CommandContext {
  go(to: string): void;
  /** Whether the logged-in member may perform this operation. */
  may(operation: OperationId): boolean;
  self: string;
  openPalette(): void;
  openSheet(): void;
  setTheme(theme: 'light' | 'dark' | 'system'): void;
  logOut(): void;
}

export interface Command {
  id: string;
  title: string;
  group: 'Go to' | 'Create' | 'View' | 'Session' | 'On this screen';
  /** `g h`: pressed one after the other; `mod+k`: pressed together. */
  keys?: string;
  /** It runs again and again while the key is held down. */
  isRepeated?: boolean;
  /** The command is offered only to members who may perform this operation. */
  needs?: OperationId;
  run(context: CommandContext): void;
}

const go = (id: string, title: string, keys: string, to: string): Command => ({
  id,
  title,
  group: 'Go to',
  keys,
  run: (context) => context.go(to),
});

export const commands: readonly Command[] = [
  go('home', 'Inbox', 'g h', '/app'),
  {
    ...go('conversations', 'Messages', 'g c', '/app/conversations/general'),
    run: ({ go: to }) => {
      askToWrite(formatScope({ kind: 'general' }));
      to('/app/conversations/general');
    },
  },
  go('objectives', 'Objectives', 'g o', '/app/objectives'),
  go('people', 'People', 'g m', '/app/admin/people'),
  go('machines', 'Machines', 'g d', '/app/admin/machines'),
  go('channels', 'Channels', 'g n', '/app/conversations/general?browse=true'),
  go('files', 'Files', 'g f', '/app/files'),
  go('agents', 'Agents', 'g r', '/app/agents'),
  go('activity', 'All activity', 'g a', '/app/activity'),
  { ...go('audit', 'Audit', 'g l', '/app/admin/audit'), needs: 'audit' },
  go('admin', 'Admin', 'g s', '/app/admin'),
  go('me', 'Me', 'g y', '/app/me'),
  {
    id: 'create-objective',
    title: 'New objective',
    group: 'Create',
    keys: 'c',
    needs: 'createObjective',
    run: ({ go: to }) => to('/app/objectives?create=true'),
  },
  {
    id: 'create-channel',
    title: 'New channel',
    group: 'Create',
    run: ({ go: to }) => to('/app/conversations/general?create=true'),
  },
  {
    id: 'create-member',
    title: 'New member',
    group: 'Create',
    needs: 'createMember',
    run: ({ go: to }) => to('/app/admin/people?create=true'),
  },
  {
    id: 'palette',
    title: 'Command palette',
    group: 'View',
    keys: 'mod+k',
    run: ({ openPalette }) => openPalette(),
  },
  { id: 'sheet', title: 'Keyboard shortcuts', group: 'View', keys: '?', run: ({ openSheet }) => openSheet() },
  { id: 'light', title: 'Light theme', group: 'View', run: ({ setTheme }) => setTheme('light') },
  { id: 'dark', title: 'Dark theme', group: 'View', run: ({ setTheme }) => setTheme('dark') },
  { id: 'system', title: 'System theme', group: 'View', run: ({ setTheme }) => setTheme('system') },
  { id: 'log-out', title: 'Log out', group: 'Session', run: ({ logOut }) => logOut() },
];

export const offered = (context: CommandContext): Command[] =>
  commands.filter((command) => command.needs === undefined || context.may(command.needs));

export const keysOf = (id: string): string | undefined => commands.find((command) => command.id === id)?.keys;
