/**
 * Determines which changes of the configuration the audit log records, and in which words. Pure: the configuration
 * before and after is all that it sees, so a change by hand is recorded like one by a request.
 */
import type { AuditKind, AuditValues } from '#protocol/audit.ts';

export interface AuditedMember {
  title: string;
  description: string;
  instructions: string;
  wakes: string;
  /** Presets and permissions as entered, and the permissions that they resolve to. */
  entries: string[];
  permissions: string[];
  /** Digests: they tell whether a secret changed, and nothing else. Null without one. */
  token: string | null;
  totp: string | null;
  isTokenRevoked: boolean;
}

/** The parts of a configuration that the audit log knows. They hold no secret. */
export interface AuditedConfiguration {
  memberByName: Record<string, AuditedMember>;
  team: AuditValues;
  presets: Record<string, string[]>;
  network: AuditValues;
  others: AuditValues;
  /** Absent in what an earlier version recorded, which therefore does not tell whether they changed. */
  stores?: AuditValues;
  /** Absent in what an earlier version recorded. */
  retention?: AuditValues;
}

/** A configuration after changes of some members: `configuration` names those of them who are present. */
export interface AuditedState {
  configuration: AuditedConfiguration;
  /** The members who may have changed; null if these are all of them. */
  touched: string[] | null;
}

export interface AuditChange {
  kind: AuditKind;
  subject: string | null;
  before: AuditValues | null;
  after: AuditValues | null;
}

export const emptyConfiguration: AuditedConfiguration = {
  memberByName: {},
  team: {},
  presets: {},
  network: {},
  others: {},
  stores: {},
};

/** Returns the state after both, as if what lies between them had been one change. */
export function joinedStates(earlier: AuditedState, later: AuditedState): AuditedState {
  if (later.touched === null) return later;
  const unchanged = Object.entries(earlier.configuration.memberByName).filter(
    ([name]) => !later.touched?.includes(name),
  );
  return {
    configuration: {
      ...later.configuration,
      memberByName: { ...Object.fromEntries(unchanged), ...later.configuration.memberByName },
    },
    touched: earlier.touched && [...new Set([...earlier.touched, ...later.touched])],
  };
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the fields that differ, before and after; null if none does. A field that is absent is null. */
function difference(
  before: AuditValues,
  after: AuditValues,
): { before: AuditValues; after: AuditValues } | null {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isEqual(before[name], after[name]));
  if (changed.length === 0) return null;
  const of = (values: AuditValues) =>
    Object.fromEntries(changed.map((name) => [name, Object.hasOwn(values, name) ? values[name] : null]));
  return { before: of(before) as AuditValues, after: of(after) as AuditValues };
}

const permissionsOf = ({ entries, permissions }: AuditedMember): AuditValues => ({ entries, permissions });

const descriptionOf = ({ title, description, instructions, wakes }: AuditedMember): AuditValues => ({
  title,
  description,
  instructions,
  wakes,
});

const everythingOf = (member: AuditedMember): AuditValues => ({
  ...descriptionOf(member),
  ...permissionsOf(member),
  hasToken: member.token !== null && !member.isTokenRevoked,
  hasTotp: member.totp !== null,
});

function memberChanges(name: string, before: AuditedMember, after: AuditedMember): AuditChange[] {
  const change = (kind: AuditKind, values: ReturnType<typeof difference>): AuditChange[] =>
    values === null ? [] : [{ kind, subject: name, ...values }];
  const changedSecret = (kind: AuditKind): AuditChange => ({
    kind,
    subject: name,
    before: null,
    after: null,
  });
  return [
    ...change('member_changed', difference(descriptionOf(before), descriptionOf(after))),
    ...change('permissions_changed', difference(permissionsOf(before), permissionsOf(after))),
    ...(before.token === after.token
      ? []
      : [changedSecret(after.token === null || after.isTokenRevoked ? 'token_revoked' : 'token_rotated')]),
    ...(before.totp === after.totp
      ? []
      : [changedSecret(after.totp === null ? 'totp_removed' : 'totp_bound')]),
  ];
}

/** Returns what changed, in the order: members, team, presets, network, other blocks, retention. */
export function changesBetween(before: AuditedConfiguration, after: AuditedConfiguration): AuditChange[] {
  const removed = Object.entries(before.memberByName)
    .filter(([name]) => !Object.hasOwn(after.memberByName, name))
    .map(([name, member]) => ({
      kind: 'member_removed' as const,
      subject: name,
      before: everythingOf(member),
      after: null,
    }));
  const present = Object.entries(after.memberByName).flatMap(([name, member]): AuditChange[] => {
    const earlier = Object.hasOwn(before.memberByName, name) ? before.memberByName[name] : undefined;
    return earlier === undefined
      ? [{ kind: 'member_created', subject: name, before: null, after: everythingOf(member) }]
      : memberChanges(name, earlier, member);
  });
  const block = (kind: AuditKind, was: AuditValues, is: AuditValues): AuditChange[] => {
    const values = difference(was, is);
    return values === null ? [] : [{ kind, subject: null, ...values }];
  };
  const earlierStores = before.stores ?? after.stores;
  return [
    ...removed,
    ...present,
    ...block('team_changed', before.team, after.team),
    ...block('presets_changed', before.presets, after.presets),
    ...block('network_changed', before.network, after.network),
    ...block(
      'configuration_changed',
      { ...before.others, ...earlierStores },
      { ...after.others, ...after.stores },
    ),
    ...block('retention_changed', before.retention ?? {}, after.retention ?? {}),
  ];
}
