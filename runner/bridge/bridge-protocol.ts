/** The frames between the bridge and the runner. The bridge sends first: `{ key }`. */
import type { HookAnswer, HookMoment } from '../agents/agent-hooks.ts';

export const socketVariable = 'SVC_RUNNER_SOCKET';
export const keyVariable = 'SVC_RUNNER_KEY';

/** To the bridge. */
export type FromRunner =
  | { welcome: true; instructions: string; hasInbox: boolean }
  | { refused: string }
  | { id: number; result?: unknown }
  | { id: number; error: string }
  | { event: 'tools changed' }
  | { event: 'inbox changed' }
  | { event: 'channel'; content: string; meta: Record<string, string> };

/** A question of the bridge to the runner. `taken`: the hook wrote the answer to the agent. */
export type Question =
  | { method: 'list' }
  /** The waiting messages, as a text. */
  | { method: 'inbox' }
  | { method: 'call'; name: string; input: unknown }
  /** A hook of the agent asks for waiting messages. `isAgain`: the turn has gone on because of a hook before. */
  | { method: 'take'; moment: HookMoment; isAgain: boolean }
  | { method: 'taken' };

type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string');

/**
 * Returns what the runner sent, or null for anything else. It is checked by hand, because the bridge and the hooks
 * are to stay small (ADR 0026).
 */
export function readFromRunner(value: Json): FromRunner | null {
  const { welcome, instructions, hasInbox = false, refused, id, error, result, event, content, meta } = value;
  if (welcome === true)
    return typeof instructions === 'string' && typeof hasInbox === 'boolean'
      ? { welcome, instructions, hasInbox }
      : null;
  if (typeof refused === 'string') return { refused };
  if (typeof id === 'number') {
    if (error === undefined) return { id, result };
    return typeof error === 'string' ? { id, error } : null;
  }
  if (event === 'tools changed' || event === 'inbox changed') return { event };
  return event === 'channel' && typeof content === 'string' && isTexts(meta)
    ? { event, content, meta }
    : null;
}

/** Returns the result of `take`; null if there is nothing to hand over, or if it is something else. */
export function readHookAnswer(value: unknown): HookAnswer | null {
  if (!isRecord(value)) return null;
  const { stdout, stderr, code } = value;
  return typeof stdout === 'string' && typeof stderr === 'string' && Number.isInteger(code)
    ? { stdout, stderr, code: Number(code) }
    : null;
}
