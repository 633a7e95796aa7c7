/** The end of a run because the broker refuses it. */
import type { AgentLink } from '../agents/agent-link.ts';
import type { LeaseRefusal } from './run-lease.ts';

export interface Refusal {
  readonly by: LeaseRefusal['by'] | null;
  /** Ends the run, with one sentence; only the first call counts. */
  end(refusal: LeaseRefusal): void;
}

/** The broker's own words for a refused token are about a header, which means nothing to a person here. */
const sentenceOf = ({ by, reason }: LeaseRefusal): string =>
  by === 'credential'
    ? 'the broker no longer accepts the token of this run, which now ends'
    : `this run now ends: ${reason}`;

export function createRefusal(link: AgentLink, tell: (line: string) => void): Refusal {
  let by: Refusal['by'] = null;
  return {
    get by() {
      return by;
    },
    end(refusal) {
      if (by !== null) return;
      by = refusal.by;
      tell(sentenceOf(refusal));
      void link.stop();
    },
  };
}
