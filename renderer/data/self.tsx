/** The member who is logged in, by context: the session query can be reset while screens are still mounted. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useRef } from 'react';
import type { Relation } from '#protocol/access.ts';
import type { OperationId } from '#protocol/operations.ts';
import type { SessionReply } from '#protocol/session.ts';
import { refetch } from './make-change.ts';
import { may } from './rights.ts';

const SelfContext = createContext<SessionReply | null>(null);

/** Reads again what is shown when the permissions of the member change, and forgets everything else. */
function useFreshRights({ permissions }: SessionReply): void {
  const cache = useQueryClient();
  const before = useRef(permissions);
  useEffect(() => {
    if (permissions.join() === before.current.join()) return;
    before.current = permissions;
    cache.removeQueries({ predicate: (query) => query.getObserversCount() === 0 });
    refetch(cache, []);
  }, [permissions, cache]);
}

export function SelfProvider({ self, children }: { self: SessionReply; children?: ReactNode }) {
  useFreshRights(self);
  return <SelfContext value={self}>{children}</SelfContext>;
}

/** Returns the session of the member who is logged in. */
export function useSelf(): SessionReply {
  const self = use(SelfContext);
  if (self === null) throw new Error('useSelf outside of its provider');
  return self;
}

/** Whether the member who is logged in may perform this operation; see `may`. */
export const useMay = (operation: OperationId, relations: readonly Relation[] = []): boolean =>
  may(operation, useSelf().permissions, relations);
