/**
 * The console in a real Chromium against a real broker, for tests, logged in by TOTP as a person would be.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { codeAt, freshAuthenticator } from '../../../broker/testing/test-authenticator.ts';
import {
  startTestBroker,
  type TestBroker,
  type TestBrokerOptions,
} from '../../../broker/testing/test-broker.ts';
import { builtConsole } from './built-console.ts';
import { complaintsOf, sharedChromium } from './chromium.ts';

export interface ConsoleTeam {
  team: TestBroker;
  browser: Browser;
  /** Opens a browser of its own, logged in as this member; `errors` must stay empty. */
  open(member: string, options?: OpenOptions): Promise<ConsolePage>;
  stop(): Promise<void>;
}

export interface OpenOptions {
  path?: string;
  dark?: boolean;
  width?: number;
  height?: number;
  permissions?: string[];
  touch?: boolean;
}

export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** The complaints of the page. */
  errors: string[];
}

/** `launched`: a browser that only this console uses, and ends. */
export async function startConsole(
  options: TestBrokerOptions = {},
  launched?: Browser,
): Promise<ConsoleTeam> {
  const consoleFolder = await builtConsole();
  const team = await startTestBroker({ config: { files: { root: 'files' } }, ...options, consoleFolder });
  const browser = launched ?? (await sharedChromium());
  const others = new Set(browser.contexts());
  /** One session per member, because enrolling again would end the earlier ones. */
  const cookieByMember = new Map<string, ReturnType<typeof sessionCookie>>();
  return {
    team,
    browser,
    async open(
      member,
      { path = '/app', dark = false, width = 1280, height = 860, permissions = [], touch = false } = {},
    ) {
      const context = await browser.newContext({
        baseURL: team.url,
        colorScheme: dark ? 'dark' : 'light',
        viewport: { width, height },
        reducedMotion: 'reduce',
        locale: 'en-GB',
        permissions,
        hasTouch: touch,
        isMobile: touch,
      });
      const cookie = cookieByMember.get(member) ?? sessionCookie(team, member);
      cookieByMember.set(member, cookie);
      await context.addCookies([await cookie]);
      const page = await context.newPage();
      const errors = complaintsOf(page, team.url);
      await page.goto(path);
      return { page, context, errors };
    },
    async stop() {
      if (launched === undefined)
        for (const context of browser.contexts()) if (!others.has(context)) await context.close();
      await launched?.close();
      await team.stop();
    },
  };
}

/**
 * Enrolls an authenticator and logs in as the login form does. A test of the form itself does this by hand.
 */
async function sessionCookie(team: TestBroker, member: string) {
  const totpSecret = await freshAuthenticator(team, member);
  const reply = await fetch(`${team.url}/session/totp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: codeAt(totpSecret, Date.now()), member }),
  });
  const value = /svc_session=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? '';
  return { name: 'svc_session', value, url: team.url, httpOnly: true, sameSite: 'Strict' as const };
}
