/**
 * The requests that the console's scheme answers: pages, built files, and the bytes of team files. Every
 * other path is refused.
 */
import { isConsoleUrl } from './console-origin.rules.ts';
import { retryPath } from './fault-page.rules.ts';

export type ConsoleRequest = {
  /** `retry` starts a broker that failed, and answers a page. */
  kind: 'page' | 'built' | 'bytes' | 'retry';
  path: string;
};

const pages = ['/', '/app', '/setup', '/enroll'];

/**
 * Returns null if there is no such address, or if decoding it a second time could lead to a parent folder.
 */
export function consoleRequestOf(method: string, address: string): ConsoleRequest | null {
  if (!isConsoleUrl(address)) return null;
  const { pathname, search } = new URL(address);
  if (/%2e|%2f|%5c|%00|\\|\/\.\.?(?:\/|$)/i.test(pathname)) return null;
  const path = pathname + search;
  if (method !== 'GET') return null;
  if (pathname === retryPath) return { kind: 'retry', path };
  if (pages.includes(pathname) || pathname.startsWith('/app/')) return { kind: 'page', path };
  if (pathname === '/manifest.webmanifest' || pathname.startsWith('/assets/')) return { kind: 'built', path };
  return pathname.startsWith('/fs/read/') ? { kind: 'bytes', path } : null;
}
