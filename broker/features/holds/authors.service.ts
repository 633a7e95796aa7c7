/** Determines who writes a post: a person or an agent (specification/messages.md#posts-of-agents). */
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Author } from './holds.sqlite.ts';

export type { Author } from './holds.sqlite.ts';

/** A request, as far as it tells an agent from a person. */
type Caller = Pick<Actor, 'name' | 'plane' | 'isRun'>;

export interface Authors {
  /** Whether the request comes from an agent, as far as its credential and its member's lease tell. */
  isAgent(actor: Caller): boolean;
  /** `causes` of the request, even if empty, make the post an agent's. `recipient`: of a direct message, else null. */
  authorOf(actor: Caller, causes: readonly string[] | null | undefined, recipient: MemberName | null): Author;
}

export interface AuthorsDeps {
  /** Whether a run holds the member's lease. */
  hasRun: (name: MemberName) => boolean;
  /** The team's setting. */
  maxHops: () => number | undefined;
}

export function createAuthors({ hasRun, maxHops }: AuthorsDeps): Authors {
  // A run with the member's own token looks like its person's commands, so both count as the agent while it works. A browser session does not.
  const isAgent = ({ name, plane, isRun }: Caller): boolean => isRun || (plane !== 'session' && hasRun(name));
  return {
    isAgent,
    authorOf(actor, causes, recipient) {
      if (causes == null && !isAgent(actor)) return { kind: 'person' };
      return {
        kind: 'agent',
        causes: causes ?? [],
        maxHops: maxHops() ?? limits.holds.hops,
        isForAgent: recipient === null || (recipient !== actor.name && hasRun(recipient)),
      };
    },
  };
}
