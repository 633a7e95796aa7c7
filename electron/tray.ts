/** The tray: turns the model into a menu, and only when the model changed. */
import { join } from 'node:path';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { Menu, type MenuItemConstructorOptions, nativeImage, nativeTheme, Tray } from 'electron';
import { trayImageName } from './tray-icon.rules.ts';
import type { TrayAction, TrayIcon, TrayItem, TrayModel } from './tray-model.rules.ts';
import type { Box } from './window-options.rules.ts';

export interface TrayView {
  show(model: TrayModel): void;
  box(): Box | null;
  close(): void;
}

export interface TrayDeps {
  /** The folder of the icons. */
  folder: string;
  act(action: TrayAction): void;
  platform?: string;
}

export function createTray({ folder, act, platform = process.platform }: TrayDeps): TrayView {
  const imageOf = (icon: TrayIcon) => {
    const name = trayImageName(icon, platform, nativeTheme);
    const image = nativeImage.createFromPath(join(folder, name));
    image.setTemplateImage(platform === 'darwin');
    return image;
  };
  const tray = new Tray(imageOf('offline'));
  let shown: TrayModel | null = null;
  nativeTheme.on('updated', () => shown !== null && tray.setImage(imageOf(shown.icon)));
  // On macOS, a click opens the menu and would also open the console.
  if (platform !== 'darwin') tray.on('click', () => act({ kind: 'openConsole' }));
  return {
    show(model) {
      if (isDeepStrictEqual(model, shown)) return;
      if (shown?.icon !== model.icon) tray.setImage(imageOf(model.icon));
      tray.setToolTip(model.tooltip);
      tray.setContextMenu(Menu.buildFromTemplate(model.items.map((item) => menuItem(item, act))));
      shown = model;
    },
    box() {
      const bounds = tray.getBounds();
      return bounds.width === 0 ? null : bounds;
    },
    close: () => tray.destroy(),
  };
}

function menuItem(item: TrayItem, act: (action: TrayAction) => void): MenuItemConstructorOptions {
  if (item.kind === 'separator') return { type: 'separator' };
  if (item.kind === 'text') return { label: item.label, enabled: false };
  if (item.kind === 'submenu')
    return { label: item.label, submenu: item.items.map((one) => menuItem(one, act)) };
  if (item.isChecked === undefined) return { label: item.label, click: () => act(item.action) };
  const { isChecked } = item;
  return {
    label: item.label,
    type: 'checkbox',
    checked: isChecked,
    click(shown) {
      // The system changes the check mark by itself; this restores the actual state.
      shown.checked = isChecked;
      act(item.action);
    },
  };
}
