/** The kind of a member in words: a badge, and lists to choose from. */
import { createContext, use } from 'react';
import type { KindOfMember } from '#protocol/member-kind.ts';
import { Badge } from './badge.tsx';

export interface KnownKinds {
  /** By name; empty until it is known. */
  byName: ReadonlyMap<string, KindOfMember>;
  /** Whether the broker has answered. Until then, nothing may be left out because of its kind. */
  isKnown: boolean;
  /** Why it is not known; null while it is being loaded. */
  error: Error | null;
}

export const KindsContext = createContext<KnownKinds>({ byName: new Map(), isKnown: false, error: null });

export const useIsAgent = (name: string): boolean => use(KindsContext).byName.get(name)?.kind === 'agent';

/** Returns the names with people first and then agents, each in the given order. */
export function usePeopleFirst(names: readonly string[]): string[] {
  const { byName } = use(KindsContext);
  const rank = (name: string) => Number(byName.get(name)?.kind === 'agent');
  return names.toSorted((a, b) => rank(a) - rank(b));
}

/** Renders nothing for a person. */
export function KindBadge({ name }: { name: string }) {
  return useIsAgent(name) ? <Badge>agent</Badge> : null;
}
