import { expect, it } from 'vitest';
import { acceleratorOf, appMenus, type PageCommand } from './app-menu.rules.ts';

const commands: PageCommand[] = [
  { id: 'home', title: 'Inbox', group: 'Go to', keys: 'g h' },
  { id: 'create-channel', title: 'New channel', group: 'Create', keys: null },
  { id: 'palette', title: 'Command & palette', group: 'View', keys: 'mod+k' },
  { id: 'log-out', title: 'Log out', group: 'Session', keys: null },
];
const menu = (label: string, platform = 'linux') =>
  appMenus(commands, platform).find((one) => one.label === label)?.items;

it('has each command of the console in one menu', () => {
  const ids = appMenus(commands, 'linux').flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'command' ? [item.id] : [])),
  );
  expect(ids.sort()).toEqual(['create-channel', 'home', 'log-out', 'palette']);
});

it('uses only key combinations as accelerators, because a single letter would be taken from a person who types', () => {
  expect([acceleratorOf('mod+k'), acceleratorOf('g h'), acceleratorOf('?'), acceleratorOf(null)]).toEqual([
    'CommandOrControl+K',
    null,
    null,
    null,
  ]);
});

it('does not let a title mark a shortcut', () => {
  expect(menu('View')).toContainEqual({
    kind: 'command',
    id: 'palette',
    label: 'Command && palette',
    accelerator: 'CommandOrControl+K',
  });
});

it('has Quit in the menu of the app on macOS, and in File elsewhere', () => {
  expect(menu('Muster', 'darwin')).toContainEqual({ kind: 'quit' });
  expect(menu('File', 'darwin')).not.toContainEqual({ kind: 'quit' });
  expect(menu('File')).toContainEqual({ kind: 'quit' });
});

it('zooms in without Shift, too', () => {
  expect(menu('View')).toContainEqual({ kind: 'zoomInKey', accelerator: 'CommandOrControl+=' });
});

it('has the items that every app has before the page sends its commands', () => {
  expect(appMenus([], 'linux').map(({ label }) => label)).toEqual(['File', 'Edit', 'Go', 'View', 'Window']);
});
