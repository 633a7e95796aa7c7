import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { trayImageName } from './tray-icon.rules.ts';

const theme = (isDarkApps: boolean, isDarkTaskbar: boolean) => ({
  shouldUseDarkColors: isDarkApps,
  shouldUseDarkColorsForSystemIntegratedUI: isDarkTaskbar,
});

it.each(['darwin', 'linux', 'win32'])('has a picture of its own for each state on %s', (platform) => {
  for (const shades of [theme(true, true), theme(false, false)])
    for (const suffix of ['.png', '@2x.png']) {
      const pictures = (['idle', 'attention', 'error', 'offline'] as const).map((icon) => {
        const name = trayImageName(icon, platform, shades).replace('.png', suffix);
        const path = fileURLToPath(new URL(`../resources/tray/${name}`, import.meta.url));
        return readFileSync(path).toString('base64');
      });
      expect(new Set(pictures).size).toBe(4);
    }
});

it('follows the taskbar on Windows, and not the apps', () => {
  expect(trayImageName('idle', 'win32', theme(false, true))).toBe('idle-dark.png');
  expect(trayImageName('idle', 'win32', theme(true, false))).toBe('idle-light.png');
});

it('is light on the panels of Linux, which are dark with every theme', () => {
  for (const isDark of [true, false])
    expect(trayImageName('idle', 'linux', theme(isDark, isDark))).toBe('idle-dark.png');
});
