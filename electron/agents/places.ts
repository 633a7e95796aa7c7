/**
 * The folders and programs that a dialog or the list of recent runs named. A page passes an id back, so it
 * can never supply a path of its own.
 */
import { randomUUID } from 'node:crypto';
import type { AgentPlace } from '../bridge.ts';

export interface Places {
  /** Returns the same id for the same path as long as the path is known. */
  add(path: string): AgentPlace;
  pathOf(id: string): string | null;
}

const maxPlaces = 200;

export function createPlaces(): Places {
  const pathById = new Map<string, string>();
  return {
    add(path) {
      for (const [id, known] of pathById) if (known === path) return { id, path };
      const id = randomUUID();
      pathById.set(id, path);
      if (pathById.size > maxPlaces) pathById.delete(pathById.keys().next().value ?? '');
      return { id, path };
    },
    pathOf: (id) => pathById.get(id) ?? null,
  };
}
