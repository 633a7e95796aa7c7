/** A record of the audit log as one sentence (specification/console.md#audit-log). Pure. */
import type { AuditKind, AuditRecord, AuditValues } from '#protocol/audit.ts';
import { counted } from '#protocol/counted.ts';

interface Told {
  /** The author of the change, as the subject of the sentence. */
  who: string;
  /** The member, path, or code that the change is about. */
  about: string;
  /** The change is about the one who made it. */
  isOwn: boolean;
  before: AuditValues;
  after: AuditValues;
}

const quoted = (value: AuditValues[string] | undefined): string =>
  typeof value === 'string' && value !== '' ? ` “${value}”` : '';

const times = ({ count }: AuditValues): string =>
  typeof count === 'number' && count > 1 ? `, ${counted(count, 'time')}` : '';

const list = new Intl.ListFormat('en', { type: 'conjunction' });
const wordOfField: Record<string, string> = {
  title: 'role',
  description: 'description of the role',
  wakes: 'wake policy',
  maxAgentHops: 'count of posts by agents in a row',
};

/** Their values fit into a sentence. */
const shortFields = ['title', 'wakes', 'maxAgentHops', 'kind', 'name'];

/** The fields that changed, in words. */
const fieldsOf = (after: AuditValues, otherwise: string): string => {
  const fields = Object.keys(after).map((field) => wordOfField[field] ?? field);
  return fields.length === 0 ? otherwise : list.format(fields);
};

/** The new value, if one field changed and its value is short. */
function toValue(after: AuditValues): string {
  const [field, ...others] = Object.keys(after);
  if (field === undefined || others.length > 0 || !shortFields.includes(field)) return '';
  const value = after[field];
  const text = typeof value === 'number' ? ` ${value}` : quoted(value);
  return text === '' ? '' : ` to${text}`;
}

/** "their own", or "the … of ben". */
const of = (thing: string, { isOwn, about }: Told): string =>
  isOwn ? `their own ${thing}` : `the ${thing} of ${about}`;

type Tell = (told: Told) => string;
const does =
  (words: string): Tell =>
  ({ who, about }) =>
    `${who} ${words} ${about}`;

/** A kind that is not here, for example of a newer broker, is told by its name. */
const sentenceByKind: Partial<Record<AuditKind, Tell>> = {
  audit_started: () => 'The audit log began',
  login: ({ about, after }) =>
    `${about} logged in${typeof after.device === 'string' ? ` with ${after.device}` : ''}`,
  login_failed: ({ about, after }) => `A login${about === '' ? '' : ` as ${about}`} failed${times(after)}`,
  logout: ({ about }) => `${about} logged out`,
  session_ended: (told) => `${told.who} ended ${of('sessions', told)}`,
  token_created: ({ who, about, after }) => `${who} created a token${quoted(after.label)} for ${about}`,
  token_rotated: (told) => `${told.who} rotated ${of('tokens', told)}`,
  token_revoked: (told) => `${told.who} revoked ${of(`token${quoted(told.before.label)}`, told)}`,
  run_stopped: (told) => `${told.who} stopped ${of('run', told)}`,
  run_interrupted: (told) => `${told.who} interrupted ${of('run', told)}`,
  totp_bound: (told) =>
    `${told.who} enrolled ${told.isOwn ? 'their own authenticator' : `an authenticator for ${told.about}`}`,
  totp_removed: (told) => `${told.who} removed ${of('authenticator', told)}`,
  member_created: does('created the member'),
  member_changed: (told) =>
    `${told.who} changed ${of(fieldsOf(told.after, 'settings'), told)}${toValue(told.after)}`,
  member_removed: does('removed the member'),
  permissions_changed: (told) => `${told.who} changed ${of('permissions', told)}`,
  team_changed: ({ who, after }) =>
    `${who} changed the ${fieldsOf(after, 'settings')} of the team${toValue(after)}`,
  presets_changed: ({ who }) => `${who} changed the permission presets`,
  device_approved: ({ who, about, after }) => `${who} approved the device${quoted(after.label)} of ${about}`,
  device_approval_undone: ({ about }) => `The approval of a device of ${about} was undone`,
  device_rejected: ({ who, about, after }) =>
    `${who} rejected the device ${about}${typeof after.reason === 'string' && after.reason !== '' ? `:${quoted(after.reason)}` : ''}`,
  platform_bound: ({ who }) => `${who} connected a platform, which may sign in as any member`,
  network_changed: ({ who }) => `${who} changed the network settings`,
  configuration_changed: ({ who }) => `${who} changed the configuration`,
  channel_changed: does('changed the channel'),
  channel_members_changed: does('changed the members of the private channel'),
  held_released: ({ who, about }) => `${who} released a held post of ${about}`,
  held_dropped: ({ who, about }) => `${who} dropped a held post of ${about}`,
  files_removed: does('removed'),
  files_moved: ({ who, about, after }) =>
    `${who} moved ${about}${typeof after.path === 'string' ? ` to ${after.path}` : ''}`,
  files_overwritten: does('replaced the content of'),
  files_read: does('read'),
  files_shared: does('shared'),
  limit_hit: ({ about, after }) => `The limit ${about.replaceAll('_', ' ')} refused somebody${times(after)}`,
  restored: () => 'The team was restored from a backup',
  audit_cut: () => 'Records of the audit log are missing',
  audit_cut_acknowledged: ({ who }) => `${who} acknowledged that records of the audit log are missing`,
  retention_changed: ({ who }) => `${who} changed the retention rules`,
  retention_removed: ({ about, after }) =>
    `Retention removed ${typeof after.count === 'number' ? counted(after.count, 'entry', 'entries') : 'entries'} by the rule ${about}`,
};

export const labelOf = (kind: AuditKind): string => kind.replaceAll('_', ' ').replace('totp', 'TOTP');

function whoOf({ via, member }: AuditRecord): string {
  if (via === 'file') return 'Somebody with access to the configuration file';
  if (via === 'host') return 'The desktop app';
  return member ?? 'Somebody';
}

/** A label or a path of somebody else must not turn the direction of the sentence around it. */
const directionless = (text: string): string => text.replaceAll(/\p{Bidi_Control}/gu, '');

/** Returns the sentence without a full stop, because it may end with a name or a path. */
export function auditSentence(record: AuditRecord): string {
  const { kind, member, subject, before, after } = record;
  const told: Told = {
    who: whoOf(record),
    about: subject ?? '',
    isOwn: subject !== null && subject === member,
    before: before ?? {},
    after: after ?? {},
  };
  const tell = Object.hasOwn(sentenceByKind, kind) ? sentenceByKind[kind] : undefined;
  const ofName = `${told.who}: ${labelOf(kind)}${told.about === '' ? '' : ` ${told.about}`}`;
  return directionless(tell?.(told) ?? ofName);
}
