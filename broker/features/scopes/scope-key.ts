/**
 * Conversations and audiences as the main store keeps them. The key of `general`, a channel, or an objective is its name on the wire
 * (`protocol/scope.ts`). The key of a direct conversation names both members in order, so that both share it; member names hold no colon.
 */
import { formatScope, parseScope, type Scope, type ScopeName } from '#protocol/scope.ts';

/** A conversation without a point of view. */
export type StoredScope =
  | Exclude<Scope, { kind: 'direct' }>
  | { kind: 'direct'; members: readonly [string, string] };

/** The stored key of a scope as `self` sees it. */
export function scopeKey(scope: Scope, self: string): string {
  if (scope.kind !== 'direct') return formatScope(scope);
  return formatScope({ kind: 'direct', member: [self, scope.member].sort().join(':') });
}

/** The stored key of the conversation that `self` names on the wire. */
export function keyOfScopeName(name: ScopeName, self: string): string {
  const scope = parseScope(name);
  return scope === undefined ? name : scopeKey(scope, self);
}

/** The conversation that a stored key names. */
export function parseScopeKey(key: string): StoredScope {
  const scope = parseScope(key);
  if (scope === undefined) throw new Error(`the store has a message in no conversation: ${key}`);
  if (scope.kind !== 'direct') return scope;
  const [first = '', second = ''] = scope.member.split(':');
  return { kind: 'direct', members: [first, second] };
}

/** The name on the wire of a stored conversation, as `self` sees it: a direct conversation by its other side. */
export function scopeNameOf(key: string, self: string): ScopeName {
  const scope = parseScopeKey(key);
  if (scope.kind !== 'direct') return formatScope(scope);
  const [first, second] = scope.members;
  return formatScope({ kind: 'direct', member: first === self ? second : first });
}

const objectivePrefix = formatScope({ kind: 'objective', objectiveId: '' });

const channelPrefix = formatScope({ kind: 'channel', channelId: '' });

/** SQL for the key of the channel whose id is in `column`. */
export const channelKeySql = (column: string): string => `'${channelPrefix}' || ${column}`;

/** SQL for the id of the channel whose key is in `column`; null for the key of another conversation. */
export const channelIdSql = (column: string): string =>
  `CASE WHEN substr(${column}, 1, ${channelPrefix.length}) = '${channelPrefix}' THEN substr(${column}, ${channelPrefix.length + 1}) END`;

/** SQL for the key of the thread whose objective's id is in `column`. */
export const objectiveKeySql = (column: string): string => `'${objectivePrefix}' || ${column}`;

const directPrefix = formatScope({ kind: 'direct', member: '' });

/** SQL for whether the key in `column` is that of a direct conversation, as the indexes have it. */
export const isDirectKeySql = (column: string): string =>
  `substr(${column}, 1, ${directPrefix.length}) = '${directPrefix}'`;

/** The keys of all threads lie between these two, in SQLite's order. */
export const objectiveKeys = {
  after: objectivePrefix,
  before: `${objectivePrefix.slice(0, -1)};`,
} as const;

/** Whom a grant of a file is for: one member, or everybody in a conversation, now and later. */
export type Audience = { kind: 'member'; member: string } | StoredScope;

const memberPrefix = 'to:';

/** The stored form of an audience of one member; a conversation's is its key. */
export const audienceOfMember = (member: string): string => `${memberPrefix}${member}`;

/** The audience that its stored form names. */
export const parseAudience = (audience: string): Audience =>
  audience.startsWith(memberPrefix)
    ? { kind: 'member', member: audience.slice(memberPrefix.length) }
    : parseScopeKey(audience);
