import type { TrayIcon } from './tray-model.rules.ts';

/**
 * Returns the file name in `resources/tray`. A file of twice the size lies beside it under the name that
 * Electron expects. macOS colors a template image itself.
 */
export function trayImageName(icon: TrayIcon, platform: string, isDark: boolean): string {
  const shade = platform === 'darwin' ? 'template' : isDark ? 'dark' : 'light';
  return `${icon}-${shade}.png`;
}
