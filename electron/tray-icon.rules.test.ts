import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { trayImageName } from './tray-icon.rules.ts';

it.each(['darwin', 'linux', 'win32'])('has a picture in two sizes for each state on %s', (platform) => {
  const names = (['idle', 'attention', 'error', 'offline'] as const).flatMap((icon) =>
    [true, false].map((isDark) => trayImageName(icon, platform, isDark)),
  );
  expect(new Set(names).size).toBe(platform === 'darwin' ? 4 : 8);
  for (const name of names)
    for (const file of [name, name.replace('.png', '@2x.png')])
      expect(existsSync(fileURLToPath(new URL(`../resources/tray/${file}`, import.meta.url)))).toBe(true);
});
