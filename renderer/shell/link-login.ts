/** Logs in by the one-time link of `muster login --console` (specification/authentication.md#login-links). */
import { createClient } from '#protocol/client.ts';
import type { Transport } from '../data/transport.ts';
import { sentenceOf } from '../ui/sentence-of.ts';
import { tellOtherTabs } from './session-news.ts';

let problem: string | undefined;

/** Why the link of this page did not log in. */
export const linkProblem = (): string | undefined => problem;

/**
 * Uses the link up. Somebody else may have sent it, so an open session ends only if the person agrees: otherwise, they
 * would go on under another name without noticing.
 */
export async function logInByLink(transport: Transport, code: string): Promise<void> {
  const client = createClient(transport.send);
  const self = await client.call('session', {}).catch(() => null);
  if (self !== null && !confirm(`You are logged in as ${self.member}. Log in by this link instead?`)) return;
  try {
    const body = { code, ...(transport.session !== null && { bound: true }) };
    const { secret } = await client.call('logInByLink', { body });
    transport.session?.keep(secret);
    tellOtherTabs();
  } catch (error) {
    problem = sentenceOf(error);
  }
}
