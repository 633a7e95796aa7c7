/**
 * Sets the native menu whenever the page's commands change, because each member may perform other operations.
 */
import { isDeepStrictEqual } from 'node:util';
import { Menu, type MenuItemConstructorOptions } from 'electron';
import { type AppMenuItem, appMenus, type PageCommand } from './app-menu.rules.ts';

export interface AppMenuDeps {
  platform: string;
  onCommand(id: string): void;
  onQuit(): void;
}

export interface AppMenuView {
  show(commands: readonly PageCommand[]): void;
}

export function createAppMenu({ platform, onCommand, onQuit }: AppMenuDeps): AppMenuView {
  let shown: readonly PageCommand[] | null = null;
  const itemOf = (item: AppMenuItem): MenuItemConstructorOptions => {
    if (item.kind === 'separator') return { type: 'separator' };
    if (item.kind === 'role') return { role: item.role };
    if (item.kind === 'zoomInKey') return { role: 'zoomIn', accelerator: item.accelerator, visible: false };
    if (item.kind === 'quit')
      return { label: 'Quit Muster', accelerator: 'CommandOrControl+Q', click: () => onQuit() };
    const { id, label, accelerator } = item;
    return { label, click: () => onCommand(id), ...(accelerator !== null && { accelerator }) };
  };
  return {
    show(commands) {
      if (isDeepStrictEqual(commands, shown)) return;
      shown = commands;
      const template = appMenus(commands, platform).map(
        ({ label, role, items }): MenuItemConstructorOptions =>
          role === undefined ? { label, submenu: items.map(itemOf) } : { role },
      );
      Menu.setApplicationMenu(Menu.buildFromTemplate(template));
    },
  };
}
