import { reasonOf } from '#platform/error-text.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { createBearerCache } from './bearer-cache.ts';

export interface KeepTokenOptions {
  /** The file of the bearer cache. */
  path: string;
  /** The address of the broker. */
  url: string;
  token: string;
  /** Called once with a sentence about the result. */
  say(sentence: string): void;
}

/**
 * Saves the owner's token after the setup (specification/team.md#setup). Replaces no saved token, because nobody can be
 * asked. Never throws. Returns the address for which the token was saved; null if it was not.
 */
export async function keepToken({ path, url, token, say }: KeepTokenOptions): Promise<string | null> {
  try {
    const cache = createBearerCache({ path });
    if ((await cache.find(url)) !== undefined) {
      say(`There is a saved token for ${url} in ${path}, which was not replaced.`);
      return null;
    }
    await cache.save(url, token);
    say(
      `Saved the token for ${url} in ${path}. Commands such as "${svcCommand} roster --url ${url}" use it.`,
    );
    return url;
  } catch (error) {
    say(`the token was not saved: ${reasonOf(error)}`);
    return null;
  }
}
