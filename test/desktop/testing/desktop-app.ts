/**
 * The app under test, with one interface for two engines: the stand-in (always), and the real Electron if
 * ELECTRON_BIN names its program. Specs use this interface and nothing below it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { DesktopApp, DesktopOptions, MenuView } from './engine.ts';
import { homeEnvironment, homePaths } from './person-home.ts';

/** One per test file, because the stand-in lives in the test's own process. */
export async function startDesktop(options: DesktopOptions = {}): Promise<DesktopApp> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'muster-desktop-'));
  const env = {
    ...homeEnvironment(home),
    SVC_PORT: '0',
    SVC_NODE: process.execPath,
    ...options.env,
  };
  const program = process.env.ELECTRON_BIN;
  const { startEngine } =
    program === undefined ? await import('./standin-app.ts') : await import('./real-app.ts');
  const engine = await startEngine({ ...options, home, env });
  return {
    home,
    paths: homePaths(home),
    isReal: program !== undefined,
    ...engine,
    choose: async (...labels) => engine.chooseAt('tray', pathOf(await engine.tray(), labels)),
    chooseInAppMenu: async (...labels) => engine.chooseAt('app', pathOf(await engine.appMenu(), labels)),
    async close() {
      await engine.close();
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

function pathOf(menu: readonly MenuView[], labels: readonly string[]): number[] {
  const path: number[] = [];
  let items = menu;
  for (const label of labels) {
    const at = items.findIndex((item) => item.label.startsWith(label));
    const found = items[at];
    if (found === undefined)
      throw new Error(`no "${label}" among ${items.map((item) => item.label).join(', ')}`);
    if (!found.isEnabled) throw new Error(`"${found.label}" cannot be chosen`);
    path.push(at);
    items = found.items;
  }
  return path;
}

export const labelsOf = async (app: DesktopApp): Promise<string[]> =>
  (await app.tray()).map(({ label }) => label);
