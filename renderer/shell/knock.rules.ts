/** The notice to managers about failed logins (specification/authentication.md#login-limits). */
import type { LoginFailureReport } from '#protocol/session.ts';

/** A person who mistypes a code is not worth a banner. */
const minFailures = 5;

/** Returns the sentence of the banner; null if there is nothing to say. */
export function knockSentence({ total, sources, windowMs }: LoginFailureReport): string | null {
  const [first] = sources;
  if (total < minFailures || first === undefined) return null;
  const from =
    first.count === total
      ? first.address
      : `several addresses, most of them (${first.count}) from ${first.address}`;
  return `${total} failed logins from ${from} in the last ${windowMs / 60_000} minutes.`;
}
