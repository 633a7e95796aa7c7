import type { TrayIcon } from './tray-model.rules.ts';

export interface Theme {
  /** Of apps. */
  shouldUseDarkColors: boolean;
  /** Of the taskbar on Windows, which may differ from that of apps. */
  shouldUseDarkColorsForSystemIntegratedUI: boolean;
}

/** Whether the tray's surroundings are dark. Panels on Linux are, whatever theme apps have. */
function isDarkAround(platform: string, theme: Theme): boolean {
  if (platform === 'linux') return true;
  return platform === 'win32' ? theme.shouldUseDarkColorsForSystemIntegratedUI : theme.shouldUseDarkColors;
}

/**
 * Returns the file name in `resources/tray`. A file of twice the size lies beside it under the name that
 * Electron expects. macOS colors a template image itself.
 */
export function trayImageName(icon: TrayIcon, platform: string, theme: Theme): string {
  const shade = platform === 'darwin' ? 'template' : isDarkAround(platform, theme) ? 'dark' : 'light';
  return `${icon}-${shade}.png`;
}
