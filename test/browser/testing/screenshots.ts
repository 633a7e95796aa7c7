/** `npm run screenshots`: saves a picture of every screen at three sizes, light and dark, to artifacts/screenshots. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startConsole } from './console-team.ts';
import { demoMembers, fillTeam } from './demo-team.ts';
import { screensOf, visitScreen } from './screens.ts';

const folder = fileURLToPath(new URL('../../../artifacts/screenshots', import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const sizes = {
  wide: { width: 1280, height: 860 },
  medium: { width: 1024, height: 768 },
  narrow: { width: 360, height: 740 },
};
const looks = Object.entries(sizes).flatMap(([size, viewport]) =>
  (['light', 'dark'] as const).map((scheme) => ({ size, viewport, scheme })),
);

const shared = await startConsole({ members: demoMembers });
let missing = 0;
try {
  const demo = await fillTeam(shared.team);
  for (const { size, viewport, scheme } of looks) {
    const look = `${size}-${scheme}`;
    const { page, context: inside } = await shared.open('ada', {
      ...viewport,
      dark: scheme === 'dark',
      touch: size === 'narrow',
    });
    for (const screen of screensOf(demo)) {
      if (size === 'narrow' && screen.name === 'palette') continue;
      try {
        await visitScreen(page, screen);
      } catch (error) {
        missing++;
        console.error(`${screen.name} in ${look} did not come: ${String(error).split('\n')[0]}`);
      }
      await page.screenshot({ path: join(folder, `${screen.name}-${look}.png`), animations: 'disabled' });
    }
    for (const [name, path, heading] of [
      ['login', '/app', 'Log in to Muster'],
      ['setup', '/setup#key=abc', 'Set up Muster'],
    ] as const) {
      const context = await shared.browser.newContext({
        baseURL: shared.team.url,
        ...{ colorScheme: scheme, viewport },
      });
      const outside = await context.newPage();
      await outside.goto(path);
      await outside.getByRole('heading', { name: heading }).waitFor();
      await outside.screenshot({ path: join(folder, `${name}-${look}.png`) });
      await context.close();
    }
    await inside.close();
  }
} finally {
  await shared.stop();
  // The tests share it until their process ends.
  await shared.browser.close();
}
console.log(`screenshots are in ${folder}`);
process.exitCode = missing === 0 ? 0 : 1;
