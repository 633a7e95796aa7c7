/** Builds the native menu from the console's commands, as plain data (specification/console.md#habits). */

/** A command as the page sends it; `bridge-schemas.ts` checks the list. */
export interface PageCommand {
  id: string;
  title: string;
  group: string;
  /** `mod+k`: pressed together; `g h`: pressed one after the other. */
  keys: string | null;
}

export type AppMenuItem =
  | { kind: 'separator' }
  /** An item that Electron provides, with the system's own label. */
  | {
      kind: 'role';
      role:
        | 'about'
        | 'hide'
        | 'hideOthers'
        | 'unhide'
        | 'close'
        | 'minimize'
        | 'togglefullscreen'
        | 'resetZoom'
        | 'zoomIn'
        | 'zoomOut';
    }
  /** Zooms in with the key of "+" alone, which is "=" without Shift on many keyboards. The role wants Shift. */
  | { kind: 'zoomInKey'; accelerator: string }
  | { kind: 'command'; id: string; label: string; accelerator: string | null }
  | { kind: 'quit' };

export interface AppMenu {
  label: string;
  /** Replaces the items with the system's own menu of this kind. */
  role?: 'editMenu';
  items: AppMenuItem[];
}

const menuByGroup: Record<string, string> = { Create: 'File', Session: 'File', 'Go to': 'Go', View: 'View' };

/**
 * Returns null unless the keys are pressed together. Single letters belong to the page, which knows whether
 * someone is typing.
 */
export function acceleratorOf(keys: string | null): string | null {
  const together = /^mod\+([a-z0-9])$/.exec(keys ?? '');
  return together === null ? null : `CommandOrControl+${together[1]?.toUpperCase()}`;
}

const item = ({ id, title, keys }: PageCommand): AppMenuItem => ({
  kind: 'command',
  id,
  // "&" marks a shortcut in menus.
  label: title.replaceAll('&', '&&'),
  accelerator: acceleratorOf(keys),
});

export function appMenus(commands: readonly PageCommand[], platform: string): AppMenu[] {
  const of = (menu: string) =>
    commands.filter(({ group }) => (menuByGroup[group] ?? 'View') === menu).map(item);
  const separated = (...groups: AppMenuItem[][]): AppMenuItem[] =>
    groups
      .filter((group) => group.length > 0)
      .flatMap((group, at): AppMenuItem[] => (at === 0 ? group : [{ kind: 'separator' }, ...group]));
  const isMac = platform === 'darwin';
  const own: AppMenu[] = isMac
    ? [
        {
          label: 'Muster',
          items: separated(
            [{ kind: 'role', role: 'about' }],
            [
              { kind: 'role', role: 'hide' },
              { kind: 'role', role: 'hideOthers' },
              { kind: 'role', role: 'unhide' },
            ],
            [{ kind: 'quit' }],
          ),
        },
      ]
    : [];
  return [
    ...own,
    {
      label: 'File',
      items: separated(of('File'), [{ kind: 'role', role: 'close' }], isMac ? [] : [{ kind: 'quit' }]),
    },
    { label: 'Edit', role: 'editMenu', items: [] },
    { label: 'Go', items: of('Go') },
    {
      label: 'View',
      items: separated(
        of('View'),
        [
          { kind: 'role', role: 'resetZoom' },
          { kind: 'role', role: 'zoomIn' },
          { kind: 'zoomInKey', accelerator: 'CommandOrControl+=' },
          { kind: 'role', role: 'zoomOut' },
        ],
        [{ kind: 'role', role: 'togglefullscreen' }],
      ),
    },
    { label: 'Window', items: [{ kind: 'role', role: 'minimize' }] },
  ];
}
