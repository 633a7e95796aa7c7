/**
 * The one session of this desktop, which the page never has (specification/desktop.md#renderer-and-security).
 */
import { sessionCookie } from '#protocol/session.ts';

export interface SessionJar {
  /** The header that carries the session; empty without a session. */
  headers(): Record<string, string>;
  /** Begins one request and its reply. */
  exchange(): SessionExchange;
  /** Puts in what was kept from an earlier start, which is no change. */
  restore(value: string | null): void;
  readonly value: string | null;
}

export interface SessionExchange {
  headers: Record<string, string>;
  /**
   * Keeps the cookie of the reply, or drops it if the reply ends the session. Each reply renews the session
   * of its request (specification/authentication.md#sessions), so a reply that arrives after another member
   * has logged in is ignored; otherwise it would log that member out.
   */
  keepCookie(setCookie: string | readonly string[] | undefined): void;
}

const pattern = new RegExp(`^${sessionCookie}=([^;\\s]*)`);

export function createSessionJar(onChange: (value: string | null) => void): SessionJar {
  let value: string | null = null;
  const headers = (): Record<string, string> =>
    value === null ? {} : { cookie: `${sessionCookie}=${value}` };
  return {
    headers,
    exchange() {
      const sent = value;
      return {
        headers: headers(),
        keepCookie(setCookie) {
          if (value !== sent) return;
          for (const line of setCookie === undefined ? [] : [setCookie].flat()) {
            const found = pattern.exec(line)?.[1];
            if (found === undefined) continue;
            const next = found === '' || /;\s*max-age=0\b/i.test(line) ? null : found;
            if (next === value) continue;
            value = next;
            onChange(value);
          }
        },
      };
    },
    restore(kept) {
      value = kept;
    },
    get value() {
      return value;
    },
  };
}
