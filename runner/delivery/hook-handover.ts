/** What the hooks of an agent get of the waiting messages. */
import type { Evidence } from '#protocol/receipt.ts';
import type { Bundle } from '../agents/agent.ts';
import type { Handover } from '../bridge/bridge-server.ts';
import { type HookEvent, stopAgain } from '../bridge/mcp-hook.ts';

export interface HookHandoverDeps {
  /** The longest text that is wanted, in characters. */
  claimBundle(maxCharacters: number): Promise<Bundle | null>;
  putBack(messageIds: readonly string[]): void;
  onEvidence(messageIds: readonly string[], state: Evidence): void;
  log: (event: string, data?: object) => void;
}

/**
 * Claude Code writes what is longer than 10,000 characters beside a prompt to a file and shows its model the
 * first 2 KB (seen on 2.1.197).
 */
const maxContextCharacters = 9900;
/**
 * How often a turn continues for messages that came during it, until the person says something: two agents
 * could answer each other forever.
 */
const maxChain = 25;

/**
 * Serves `handOver` of the bridge. A text counts as accepted when the hook has written it where the agent
 * reads it.
 */
export function createHookHandover({ claimBundle, putBack, onEvidence, log }: HookHandoverDeps) {
  let chain = 0;
  return async (hook: string): Promise<Handover | null> => {
    chain = hook === stopAgain ? chain + 1 : 0;
    // What is too long beside a prompt comes at the end of the turn, which has no limit.
    const maxCharacters =
      hook === ('UserPromptSubmit' satisfies HookEvent) ? maxContextCharacters : Number.POSITIVE_INFINITY;
    const bundle = chain < maxChain ? await claimBundle(maxCharacters) : null;
    if (bundle === null) return null;
    const { messageIds, text } = bundle;
    log('a hook takes messages', { hook, ids: messageIds });
    return {
      text,
      finish(isTaken) {
        if (isTaken) onEvidence(messageIds, 'accepted');
        else {
          log('a hook ended without handing over its messages', { hook, ids: messageIds });
          putBack(messageIds);
        }
      },
    };
  };
}
