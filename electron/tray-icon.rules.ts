import type { TrayIcon } from './tray-model.rules.ts';

/** Its file in `resources/tray`; one of twice the size lies beside it, named as the engine looks for it. macOS colours a template itself. */
export function trayImageName(icon: TrayIcon, platform: string, isDark: boolean): string {
  const shade = platform === 'darwin' ? 'template' : isDark ? 'dark' : 'light';
  return `${icon}-${shade}.png`;
}
