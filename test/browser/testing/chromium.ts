/** A real Chromium, and pages whose complaints are recorded. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Browser, chromium, type Page } from 'playwright-core';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Debian's Chromium. It is installed if it is missing and the user is root; otherwise, an error says what to
 * install.
 */
function browserProgram(): string {
  const named = process.env.CHROMIUM_BIN ?? programs.find(existsSync);
  if (named !== undefined) return named;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    // One test process at a time, because apt refuses a second one.
    const install = 'apt-get update >/dev/null 2>&1; apt-get install -y --no-install-recommends chromium';
    spawnSync('flock', [join(tmpdir(), 'muster-chromium.lock'), 'sh', '-c', install], { stdio: 'inherit' });
    const found = programs.find(existsSync);
    if (found !== undefined) return found;
  }
  throw new Error('the browser tests need Chromium: apt-get install chromium, or set CHROMIUM_BIN');
}

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserProgram(), args: ['--no-sandbox'] });

/** What the page complained about, including policy violations, dialogs, and requests to other origins. */
export function complaintsOf(page: Page, origin: string): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      errors.push(`request to another origin: ${url}`);
  });
  return errors;
}
