/**
 * The page of a window: a page of a real Chromium whose requests the app answers, with the preload in a world
 * of its own.
 */
import { readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page, Route } from 'playwright-core';
import { pageWorld, preloadWorld } from './preload-worlds.ts';

/**
 * Chromium does not know the scheme. Its pages are served under this address, which is as secure as the
 * scheme.
 */
const shownOrigin = 'http://console.localhost';
const ownOrigin = 'muster://console';

export const appUrl = (url: string): string => url.replace(shownOrigin, ownOrigin);
export const shownUrl = (url: string): string => url.replace(ownOrigin, shownOrigin);

export interface WindowPageDeps {
  browser: Browser;
  width: number;
  height: number;
  /** The path of a file. */
  preload: string;
  /** The arguments that the preload finds in `process.argv`. */
  args: readonly string[];
  /** The handler of the scheme; undefined while there is none. */
  answer: () => ((request: Request) => Promise<Response>) | undefined;
  /** Returns false to keep the present page. */
  onNavigation(url: string, isMainFrame: boolean): boolean;
  /** Another page has taken the place of the present one in the main frame. */
  onNavigated(url: string): void;
  onWindowOpen(url: string): void;
  /** The preload sends this over the bridge; the answer goes to `contextId`. */
  onCall(payload: string, contextId: number): void;
  /** The preload of a newly loaded page runs there. */
  onPreload(contextId: number): void;
}

export async function openWindowPage(deps: WindowPageDeps): Promise<{ page: Page; cdp: CDPSession }> {
  const { browser, width, height, preload, args, answer, onNavigation, onWindowOpen } = deps;
  const page = await browser.newPage({ viewport: { width, height } });
  const cdp = await page.context().newCDPSession(page);
  cdp.on('Runtime.executionContextCreated', ({ context }) => {
    if (context.name === 'preload') deps.onPreload(context.id);
  });
  cdp.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId === undefined) deps.onNavigated(appUrl(frame.url));
  });
  cdp.on('Runtime.bindingCalled', ({ payload, executionContextId }) =>
    deps.onCall(payload, executionContextId),
  );
  await cdp.send('Page.enable');
  await cdp.send('Runtime.enable');
  await cdp.send('Runtime.addBinding', { name: 'standinIpc', executionContextName: 'preload' });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: pageWorld });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
    source: preloadWorld(readFileSync(preload, 'utf8'), [...args]),
    worldName: 'preload',
  });
  await page.route('**/*', async (route) => {
    const request = route.request();
    const url = appUrl(request.url());
    if (request.isNavigationRequest() && !onNavigation(url, request.frame() === page.mainFrame()))
      return route.abort('aborted');
    const scheme = answer();
    if (!url.startsWith('muster:') || scheme === undefined) return route.abort();
    await answerBy(scheme, route, url);
  });
  cdp.on('Page.windowOpen', ({ url }) => onWindowOpen(appUrl(url)));
  page.on('popup', (popup) => void popup.close());
  return { page, cdp };
}

async function answerBy(
  scheme: (request: Request) => Promise<Response>,
  route: Route,
  url: string,
): Promise<void> {
  const request = route.request();
  const { 'content-length': _length, ...headers } = request.headers();
  // The engine may lose a body, so nothing may depend on one.
  const reply = await scheme(new Request(url, { method: request.method(), headers }));
  await route
    .fulfill({
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: Buffer.from(await reply.arrayBuffer()),
    })
    .catch(() => undefined);
}
