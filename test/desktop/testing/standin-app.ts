/** The built app in this process, on the stand-in. */
import { vi } from 'vitest';
import { launchChromium } from '../../browser/testing/chromium.ts';
import { app, powerMonitor } from '../../standin/electron.ts';
import type { MenuTemplateItem } from '../../standin/menus.ts';
import { standin } from '../../standin/standin.ts';
import { appFolder, prepareAppFolder } from './app-folder.ts';
import type { Engine, EngineOptions, MenuView } from './engine.ts';
import { until } from './until.ts';

let starts = 0;

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { home, env, args = [], hasKeychain } = options;
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { appPath, main } =
    options.appPath === undefined ? await prepareAppFolder(home) : appFolder(options.appPath);
  standin.reset();
  standin.appPath = appPath;
  standin.launch = launchChromium;
  standin.hasKeychain = hasKeychain ?? false;
  standin.keychainOpens = options.keychainOpens ?? null;
  process.argv.push(...args);
  await import(`${main}?start=${++starts}`);

  const windowAt = (at: number) => {
    const found = standin.windows[at];
    if (found === undefined) throw new Error(`there is no window ${at}`);
    return found;
  };
  return {
    tray: async () => standin.trays[0]?.menu.items.map(view) ?? [],
    appMenu: async () => standin.appMenu?.items.map(view) ?? [],
    async chooseAt(menu, path) {
      let items: readonly MenuTemplateItem[] =
        (menu === 'tray' ? standin.trays[0]?.menu : standin.appMenu)?.items ?? [];
      for (const at of path.slice(0, -1)) items = submenuOf(items[at]);
      const chosen = items[path.at(-1) ?? 0];
      if (chosen?.type === 'checkbox') chosen.checked = !chosen.checked;
      if (chosen !== undefined) chosen.click?.(chosen);
    },
    windows: async () =>
      standin.windows.map((window) => ({
        title: window.title,
        isShown: window.isShown,
        isGone: window.isDestroyed(),
      })),
    page: (at) => windowAt(at).page,
    closeWindow: async (at) => windowAt(at).close(),
    said: async () => [...standin.said],
    answer: async (button) => void standin.answers.push(button),
    pickPath: async (path) => void standin.paths.push(path),
    async clickNotification(title) {
      const found = standin.notifications.findLast((one) => one.title === title);
      if (found === undefined) throw new Error(`there was no notification "${title}"`);
      found.emit('click');
    },
    power: async (event) => (event === 'shutdown' ? powerMonitor.shutDown() : void powerMonitor.emit(event)),
    launchAgain: async () => void app.emit('second-instance'),
    signal: async (name) => app.signal(name),
    fail: async (message) => {
      const [listener] = standin.ownListeners('unhandledRejection');
      // Without a listener, the engine only prints a warning.
      listener?.(new Error(message), Promise.resolve());
    },
    quit: async () => app.quit(),
    async close() {
      if (!standin.said.some((one) => one.startsWith('exit'))) {
        app.quit();
        await until(() => {
          if (!standin.said.some((one) => one.startsWith('exit'))) throw new Error('the app did not end');
        });
      }
      await standin.stop();
      vi.unstubAllEnvs();
    },
  };
}

const submenuOf = (item: MenuTemplateItem | undefined): readonly MenuTemplateItem[] => item?.submenu ?? [];

const view = (item: MenuTemplateItem): MenuView => ({
  label: item.label ?? '—',
  isEnabled: item.enabled ?? true,
  isChecked: item.checked ?? false,
  accelerator: item.accelerator ?? null,
  items: submenuOf(item).map(view),
});
