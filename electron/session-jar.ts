/** The one session of this desktop: held here, never by the page (design "Renderer and security"). */
import { sessionCookie } from '#protocol/session.ts';

export interface SessionJar {
  /** The header that sends it along; empty without a session. */
  headers(): Record<string, string>;
  /** Takes the cookie of a reply, or forgets it when the reply ends the session. */
  take(setCookie: string | readonly string[] | undefined): void;
  readonly value: string | null;
}

const pattern = new RegExp(`^${sessionCookie}=([^;\\s]*)`);

export function createSessionJar(
  onChange: (value: string | null) => void,
  restored: string | null,
): SessionJar {
  let value = restored;
  return {
    headers: (): Record<string, string> => (value === null ? {} : { cookie: `${sessionCookie}=${value}` }),
    take(setCookie) {
      for (const line of setCookie === undefined ? [] : [setCookie].flat()) {
        const found = pattern.exec(line)?.[1];
        if (found === undefined) continue;
        const next = found === '' || /;\s*max-age=0\b/i.test(line) ? null : found;
        if (next === value) continue;
        value = next;
        onChange(value);
      }
    },
    get value() {
      return value;
    },
  };
}
