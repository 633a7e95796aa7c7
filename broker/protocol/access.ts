/**
 * The rules of access: leaf permissions, presets, planes, relations, and the one function that decides
 * (specification/members.md#permissions).
 */

/** Leaf permissions in the specification's order; `permissions` always lists them in this order. */
export const leaves = [
  'team.manage',
  'members.manage',
  'objectives.create',
  'objectives.cancel',
  'objectives.reassign',
  'objectives.watch',
  'activity.read',
] as const;
export type Leaf = (typeof leaves)[number];

/** The presets that the setup writes (specification/members.md#presets). */
export const defaultPresets: Record<string, Leaf[]> = {
  admin: [...leaves],
  operator: ['objectives.create', 'objectives.cancel', 'objectives.reassign', 'objectives.watch'],
  observer: ['objectives.watch', 'activity.read'],
};

const isLeaf = (entry: string): entry is Leaf => (leaves as readonly string[]).includes(entry);

/**
 * Resolves preset names and leaves, mixed, to leaves in the specification's order. `unknown` names the
 * entries that are neither; the caller refuses them.
 */
export function resolvePermissions(
  entries: readonly string[],
  presets: Readonly<Record<string, readonly string[]>>,
): { permissions: Leaf[]; unknown: string[] } {
  const held = new Set<Leaf>();
  const unknown: string[] = [];
  for (const entry of entries) {
    if (isLeaf(entry)) held.add(entry);
    else if (Object.hasOwn(presets, entry)) {
      for (const leaf of presets[entry] ?? []) isLeaf(leaf) ? held.add(leaf) : unknown.push(leaf);
    } else unknown.push(entry);
  }
  return { permissions: leaves.filter((leaf) => held.has(leaf)), unknown };
}

/** The credentials that a path accepts (specification/authentication.md#planes). */
export type Plane = 'none' | 'dual' | 'bearer' | 'session';

/** A relation of a caller to the resource on which it acts. `member` holds for every authenticated caller. */
export type Relation =
  | 'member'
  | 'self'
  | 'assignee'
  | 'originator'
  | 'thread member'
  | 'channel admin'
  | 'channel member'
  | 'participant'
  | 'sender'
  | 'recipient'
  | 'owner'
  | 'reader';

/** Any one of these is enough. */
export type Rule = readonly (Leaf | Relation)[];

/**
 * Relations that only the stored resource can tell. The guard leaves them to the unit of work, which calls
 * isAllowed again.
 */
const storedRelations: readonly (Leaf | Relation)[] = [
  'assignee',
  'originator',
  'thread member',
  'channel admin',
  'channel member',
  'participant',
  'sender',
  'recipient',
  'owner',
  'reader',
];

/** Whether the rule can be decided without loading the resource. */
export const isDecidedByCaller = (rule: Rule): boolean =>
  !rule.some((need) => storedRelations.includes(need));

/** The one access decision: whether the caller holds a leaf or has a relation that the rule accepts. */
export function isAllowed(rule: Rule, permissions: readonly Leaf[], relations: readonly Relation[]): boolean {
  return rule.some(
    (need) =>
      need === 'member' ||
      (permissions as readonly string[]).includes(need) ||
      (relations as readonly string[]).includes(need),
  );
}
