/** Hands waiting messages to the hooks of an agent. */
import type { Evidence } from '#protocol/receipt.ts';
import type { ClaimedBundle } from '../agents/agent.ts';
import type { AgentHooks, HookMoment } from '../agents/agent-hooks.ts';
import type { Handover } from '../bridge/bridge-server.ts';
import type { IdleWaker } from './idle-waker.ts';

export interface HookHandoverDeps {
  hooks: AgentHooks;
  waker: Pick<IdleWaker, 'wait' | 'sawHook'>;
  /** The longest text that is wanted, in characters. */
  claimBundle(maxCharacters: number): Promise<ClaimedBundle | null>;
  /** Whether a message waits that begins a turn. */
  hasWaking(): boolean;
  /** A person begins a turn. */
  onPrompt(): void;
  putBack(messageIds: readonly string[]): void;
  onEvidence(messageIds: readonly string[], state: Evidence): void;
  log: (event: string, data?: object) => void;
}

/**
 * How often a turn continues for messages that arrive during it, until the user sends a prompt. Without a
 * limit, two agents could answer each other forever.
 */
const maxChain = 25;

/**
 * Serves `handOver` of the bridge. A text counts as accepted when the hook has written it where the agent
 * reads it.
 */
export function createHookHandover(deps: HookHandoverDeps) {
  const { hooks, waker, claimBundle, hasWaking, onPrompt, putBack, onEvidence, log } = deps;
  let chain = 0;

  async function wake(gone: AbortSignal): Promise<Handover | null> {
    if (hooks.wake === null || !(await waker.wait(gone))) return null;
    log('a hook wakes the agent');
    return { answer: hooks.wake, finish: () => undefined };
  }

  return async (moment: HookMoment, isAgain: boolean, gone: AbortSignal): Promise<Handover | null> => {
    if (moment === 'wake') return wake(gone);
    if (moment === 'failed') {
      waker.sawHook(false);
      return null;
    }
    if (moment === 'prompt') {
      chain = 0;
      onPrompt();
    } else if (moment === 'stop') chain = isAgain ? chain + 1 : 0;
    // At its end, a turn goes on only for a message that would begin one.
    const takes = chain < maxChain && (moment !== 'stop' || hasWaking());
    const bundle = takes ? await claimBundle(hooks.maxCharacters(moment)) : null;
    waker.sawHook(moment !== 'stop' || bundle !== null);
    if (bundle === null) return null;
    const { messageIds } = bundle;
    log('a hook takes messages', { moment, ids: messageIds });
    return {
      answer: hooks.answer(moment, bundle),
      finish(isTaken) {
        if (isTaken) onEvidence(messageIds, 'accepted');
        else {
          log('a hook ended without handing over its messages', { moment, ids: messageIds });
          putBack(messageIds);
        }
      },
    };
  };
}
