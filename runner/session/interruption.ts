/** The reaction of a run that is asked to interrupt its agent (specification/presence.md#runs). */
import { reasonOf } from '#platform/error-text.ts';
import type { AgentLink } from '../agents/agent-link.ts';
import type { RunLog } from './run-log.ts';

export interface InterruptionDeps {
  link: Pick<AgentLink, 'interrupt'>;
  /** Says one sentence to the person beside the run. */
  tell(sentence: string): void;
  log: RunLog['write'];
}

/** Returns what obeys a request of the member `by`. */
export const createInterruption =
  ({ link, tell, log }: InterruptionDeps) =>
  (by: string): void => {
    link
      .interrupt()
      .then((how) => {
        if (how === 'asked') tell(`${by} interrupted the agent`);
        else if (how === 'unable') tell(`${by} asks you to interrupt the agent`);
        log('was asked to interrupt the agent', { by, how });
      })
      .catch((error: unknown) => log('the agent was not interrupted', { by, reason: reasonOf(error) }));
  };
