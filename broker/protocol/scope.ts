/**
 * Conversations. A `Scope` says which conversation a message is in, as one member sees it; a `ScopeName` is
 * its text form on the wire: `general`, `chan:<channel id>`, `obj:<objective id>`, or `dm:<member>`, where
 * the member is the other side (specification/messages.md#scopes).
 *
 * Only this file knows the text form; the keys that the broker stores are in `features/scopes/scope-key.ts`.
 * It loads no zod, because store threads use it and start faster without.
 */
import type { z } from 'zod';
import type { Message } from './message.ts';

/** A scope in text form. The schema of the same name, in `scope-name.ts`, checks one that a client sends. */
export type ScopeName = string & z.core.$brand<'ScopeName'>;

export type Scope =
  | { kind: 'general' }
  | { kind: 'channel'; channelId: string }
  | { kind: 'objective'; objectiveId: string }
  /** `member`: the other side of a direct conversation. */
  | { kind: 'direct'; member: string };

const general = 'general';
const prefix = { channel: 'chan:', objective: 'obj:', direct: 'dm:' } as const;

/** The scope of a channel: the channel `general` is the conversation `general`. */
export const channelScope = (channelId: string): Scope =>
  channelId === general ? { kind: 'general' } : { kind: 'channel', channelId };

/**
 * The scope that a text names; undefined when it has no such form. `chan:general` is the same scope as `general`. The text after
 * the prefix is not checked here: `ScopeName` does that for what a client sends.
 */
export function parseScope(name: string): Scope | undefined {
  if (name === general) return { kind: 'general' };
  const id = name.slice(name.indexOf(':') + 1);
  if (id === '') return undefined;
  if (name.startsWith(prefix.channel)) return channelScope(id);
  if (name.startsWith(prefix.objective)) return { kind: 'objective', objectiveId: id };
  if (name.startsWith(prefix.direct)) return { kind: 'direct', member: id };
  return undefined;
}

/** The text form of a scope. `parseScope` reads it back. */
export function formatScope(scope: Scope): ScopeName {
  switch (scope.kind) {
    case 'general':
      return general as ScopeName;
    case 'channel':
      return `${prefix.channel}${scope.channelId}` as ScopeName;
    case 'objective':
      return `${prefix.objective}${scope.objectiveId}` as ScopeName;
    case 'direct':
      return `${prefix.direct}${scope.member}` as ScopeName;
  }
}

/** The scope of a message as `self` sees it. `self` is the sender or one of the recipients. */
export function scopeOf(message: Pick<Message, 'from' | 'to' | 'data'>, self: string): Scope {
  const { from, to, data } = message;
  if (to !== null) return { kind: 'direct', member: from === self ? to : from };
  return scopeOfThread(data.thread) ?? { kind: 'general' };
}

/** The scope that `data.thread` of a message names: `general`, a channel, or an objective. Undefined for every other value. */
export function scopeOfThread(thread: unknown): Scope | undefined {
  const scope = typeof thread === 'string' ? parseScope(thread) : undefined;
  return scope?.kind === 'direct' ? undefined : scope;
}
