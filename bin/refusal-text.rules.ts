/** Refusals of the broker in the words of a person at the terminal, who passes flags, not properties of a request. */
import { refusals } from '#protocol/refusals.ts';
import { sizeText } from './files/size-text.rules.ts';

/** The remedies that name flags of the command, by the reason. */
const remedies: Readonly<Record<string, string>> = {
  block_reason_missing: 'say why with --reason',
  directory_not_empty: 'pass --recursive to remove all of it',
  name_collision: 'pass --collide overwrite or --collide suffix, or choose another name',
  objective_change_empty: 'pass --status, --reason, or both',
  objective_not_blocked: 'pass --status blocked and --reason',
  parent_missing: 'create it first, with "muster fs mkdir --recursive"',
  unknown_member: 'see "muster roster", or create the member with "muster members create"',
};

/** The names of a request's properties at the terminal. */
const words: Readonly<Record<string, string>> = {
  assignee: '--assignee',
  attachments: '--attach',
  blockReason: '--reason',
  body: 'the text',
  labelHint: '--label',
  memberName: '--member',
  name: 'the name',
  permissions: '--permissions',
  reason: '--reason',
  'role.description': '--role-description',
  'role.title': '--role-title',
  title: '--title',
  userCode: 'the code',
  watchers: '--watchers',
};

/** In the units in which people think; the last one is the largest. */
const units = [
  { name: 'second', size: 1 },
  { name: 'minute', size: 60 },
  { name: 'hour', size: 3600 },
  { name: 'day', size: 86_400 },
] as const;

function durationText(seconds: number): string {
  const { name, size } = units.findLast((unit) => seconds >= 2 * unit.size) ?? units[0];
  const count = Math.ceil(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** A place in a request, such as `body.watchers.0`, as a person knows it. */
function placeText(place: string): string {
  const [part = '', property = '', index] = place.split('.');
  if (!['body', 'query', 'params'].includes(part)) return place;
  const word =
    words[`${property}.${index}`] ?? words[property] ?? (property === '' ? 'the request' : `"${property}"`);
  return index !== undefined && /^\d+$/.test(index) ? `${word} (number ${Number(index) + 1})` : word;
}

/** Without a period. `reason`: of the catalog; undefined for a broker of another version. */
export function refusalText(message: string, reason: string | undefined): string {
  const entry = reason === undefined ? undefined : refusals[reason as keyof typeof refusals];
  const general = entry !== undefined && 'remedy' in entry ? `; ${entry.remedy}` : '';
  // The name that was probably meant is the better advice.
  const own = /Did you mean "/.test(message) ? undefined : remedies[reason ?? ''];
  const bare = general !== '' && message.endsWith(general) ? message.slice(0, -general.length) : message;
  const text =
    own === undefined ? message : `${reason === 'block_reason_missing' ? 'it needs a reason' : bare}; ${own}`;
  return text
    .replace(/^(?:body|query|params)(?:\.\w+)*(?=: )/, placeText)
    .replaceAll(/\b(\d+) seconds?\b/g, (_all, seconds: string) => durationText(Number(seconds)))
    .replaceAll(/\b(\d{4,}) bytes\b/g, (_all, bytes: string) => sizeText(Number(bytes)))
    .replaceAll(/\bcancelled\b/g, 'canceled');
}
