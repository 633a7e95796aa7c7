/** Decides which requests a page may have sent for it: operations of the contract, with allowed headers. */
import type { Operation } from '#protocol/operation.ts';
import { operations } from '#protocol/operations.ts';
import { setupKeyHeader } from '#protocol/vocabulary.ts';

const passedHeaders = new Set(['content-type', 'x-svc-protocol', 'idempotency-key', 'range', setupKeyHeader]);

const table = (Object.values(operations) as readonly Operation[]).map(({ method, path, reply }) => ({
  method,
  isStream: reply === 'stream',
  pattern: new RegExp(
    `^${path
      .split('/')
      .map((part) => (part === '*' ? '.+' : part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
      .join('/')}$`,
  ),
}));

/**
 * Returns `call` for one reply, `feed` for a live stream, and null for neither. Accepts only a path and a
 * query, as the page's own client sends them.
 */
export function pageRequestKind(method: string, url: string): 'call' | 'feed' | null {
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(url) || /[\\#]/.test(url)) return null;
  const path = url.split('?', 1)[0] ?? '';
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) return null;
  const found = table.find((row) => row.method === method && row.pattern.test(path));
  return found === undefined ? null : found.isStream ? 'feed' : 'call';
}

/** Returns the allowed headers. A page can never set credentials, Host, or Origin. */
export function pageHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => passedHeaders.has(name)),
  );
}
