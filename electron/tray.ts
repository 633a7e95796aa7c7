/** The tray: the model mapped to a menu, and only when it changed. */
import { isDeepStrictEqual } from 'node:util';
import { Menu, type MenuItemConstructorOptions, nativeImage, nativeTheme, Tray } from 'electron';
import { drawTrayIcon, type Shade } from './tray-icon.ts';
import type { TrayAction, TrayIcon, TrayItem, TrayModel } from './tray-model.rules.ts';
import type { Box } from './window-options.rules.ts';

export interface TrayView {
  show(model: TrayModel): void;
  box(): Box | null;
  close(): void;
}

const points = 16;

export function createTray(act: (action: TrayAction) => void): TrayView {
  const tray = new Tray(imageOf('offline'));
  let shown: TrayModel | null = null;
  nativeTheme.on('updated', () => shown !== null && tray.setImage(imageOf(shown.icon)));
  tray.on('click', () => act({ kind: 'openConsole' }));
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
  return { label: item.label, click: () => act(item.action) };
}

function imageOf(icon: TrayIcon) {
  const isMac = process.platform === 'darwin';
  const shade: Shade = isMac ? 'template' : nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
  const image = nativeImage.createEmpty();
  for (const scaleFactor of [1, 2])
    image.addRepresentation({
      scaleFactor,
      width: points * scaleFactor,
      height: points * scaleFactor,
      buffer: drawTrayIcon(icon, shade, points * scaleFactor),
    });
  image.setTemplateImage(isMac);
  return image;
}
