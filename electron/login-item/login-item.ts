/** Whether the app starts, without a window, when the person logs in to this computer. */
import { access, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { app } from 'electron';
import { replacePrivateFile } from '#platform/private-file.ts';
import type { Env } from '#protocol/paths.ts';
import { autostartEntry } from './autostart.rules.ts';

export interface LoginItem {
  read(): Promise<boolean>;
  /** @throws the system's error. */
  set(isOn: boolean): Promise<void>;
}

/** Returns null if there is nothing that could be started, as in a checkout. */
export function createLoginItem(env: Env, home: string): LoginItem | null {
  if (!app.isPackaged) return null;
  if (process.platform === 'linux') return autostartFile(env, home);
  const args = ['--hidden'];
  return {
    read: async () => app.getLoginItemSettings({ args }).openAtLogin,
    set: async (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, args }),
  };
}

function autostartFile(env: Env, home: string): LoginItem {
  const folder = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config');
  const path = join(folder, 'autostart', 'muster.desktop');
  return {
    read: () =>
      access(path).then(
        () => true,
        () => false,
      ),
    async set(isOn) {
      if (!isOn) return rm(path, { force: true });
      await mkdir(dirname(path), { recursive: true });
      // An AppImage runs from a mount that is gone at the next login; the variable names the file itself.
      await replacePrivateFile(path, autostartEntry(env.APPIMAGE ?? process.execPath));
    },
  };
}
