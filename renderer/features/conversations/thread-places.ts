/** The member's place in a thread, per step of the browser’s history, so that Back leads there. */

/** A message at a distance from the top of the log, in pixels, or the end of the thread. */
export type ThreadPlace = { kind: 'end' } | { kind: 'message'; id: string; offsetPx: number };

const maxPlaces = 200;
const places = new Map<string, ThreadPlace>();

/** `step`: the key of the step in the history. */
export function keepPlace(step: string, scope: string, place: ThreadPlace): void {
  const key = `${step} ${scope}`;
  places.delete(key);
  places.set(key, place);
  if (places.size > maxPlaces) places.delete(places.keys().next().value ?? '');
}

export const keptPlace = (step: string, scope: string): ThreadPlace | undefined =>
  places.get(`${step} ${scope}`);
