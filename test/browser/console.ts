/** The console in a real Chromium against a real broker, for tests: built once, logged in by TOTP as a person would. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import {
  startTestBroker,
  type TestBroker,
  type TestBrokerOptions,
} from '../../broker/testing/test-broker.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const consoleFolder = fileURLToPath(new URL('../../dist/console', import.meta.url));
const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Debian's Chromium; as root it is installed when missing, else a sentence says what to install. */
function browserProgram(): string {
  const named = process.env.CHROMIUM_BIN ?? programs.find(existsSync);
  if (named !== undefined) return named;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'inherit' });
    const found = programs.find(existsSync);
    if (found !== undefined) return found;
  }
  throw new Error('the browser tests need Chromium: apt-get install chromium, or set CHROMIUM_BIN');
}

let isBuilt = false;
/** Built by whoever needs it first in this process. */
export function buildConsole(): void {
  if (isBuilt) return;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the console was not built\n${stderr}`);
  isBuilt = true;
}

export interface ConsoleTeam {
  team: TestBroker;
  browser: Browser;
  /** A browser of its own, logged in as this member; `page.errors` must stay empty. */
  open(member: string, options?: { path?: string; dark?: boolean; width?: number }): Promise<ConsolePage>;
  stop(): Promise<void>;
}

export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** What the page's console complained about, policy violations among it. */
  errors: string[];
}

export async function startConsole(options: TestBrokerOptions = {}): Promise<ConsoleTeam> {
  buildConsole();
  const team = await startTestBroker({ config: { files: { root: 'files' } }, ...options, consoleFolder });
  const browser = await chromium.launch({ executablePath: browserProgram(), args: ['--no-sandbox'] });

  async function open(
    member: string,
    { path = '/app', dark = false, width = 1280 }: { path?: string; dark?: boolean; width?: number } = {},
  ): Promise<ConsolePage> {
    const context = await browser.newContext({
      baseURL: team.url,
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width, height: 860 },
      reducedMotion: 'reduce',
    });
    await context.addCookies([await sessionCookie(team, member)]);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(path);
    return { page, context, errors };
  }

  return {
    team,
    browser,
    open,
    async stop() {
      await browser.close();
      await team.stop();
    },
  };
}

/** Enrols the member and logs in, as the login form does; tests of the form itself do it by hand. */
async function sessionCookie(team: TestBroker, member: string) {
  const { totpSecret } = await team.as(member).call('enrollTotp', { params: { name: member } });
  const reply = await fetch(`${team.url}/session/totp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: codeAt(totpSecret, Date.now()), member }),
  });
  const value = /svc_session=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? '';
  return { name: 'svc_session', value, url: team.url, httpOnly: true, sameSite: 'Strict' as const };
}
