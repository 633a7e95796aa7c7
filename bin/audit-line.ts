/** Records of the audit log as lines for a terminal. */
import type { AuditRecord, AuditValues } from '#protocol/audit.ts';
import { isInstant } from '#protocol/audit-instant.ts';
import { localTime } from './message-line.ts';
import { oneLine } from './terminal-text.ts';

const maxValue = 60;

/** Members choose names and list items, so what could be read as several of them is quoted. */
const word = (text: string): string => (/^[\w./@-]+$/.test(text) ? text : JSON.stringify(text));

const valueText = (name: string, value: AuditValues[string]): string => {
  if (isInstant(name, value)) return localTime(value);
  const text = Array.isArray(value) ? `[${value.map(word).join(', ')}]` : JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
};

/** Returns what changed: `permissions: [] → [admin]`, or the values alone if there is only one side. */
function changeText({ before, after }: AuditRecord): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const sideOf = (values: AuditValues | null, name: string) =>
    values === null || !Object.hasOwn(values, name) ? null : valueText(name, values[name] ?? null);
  return names
    .map((name) => {
      const sides = [sideOf(before, name), sideOf(after, name)].filter((side) => side !== null);
      return `${word(name)}: ${sides.join(' → ')}`;
    })
    .join(', ');
}

function makerText({ via, member, credential, address }: AuditRecord): string {
  if (via === 'file') return 'found in the configuration file';
  if (via === 'host') return 'the host of the broker';
  const who = member ?? 'nobody known';
  const by = credential === null ? '' : ` by ${credential.plane} ${credential.id.slice(0, 8)}`;
  return `${who}${by}${address === null ? '' : ` from ${address}`}`;
}

/** Returns the cells: number, time, kind, subject, who, change. Remote text in them is not escaped yet. */
export function auditCells(record: AuditRecord): string[] {
  const { seq, at, kind, subject } = record;
  return [
    String(seq),
    localTime(at),
    kind.replaceAll('_', ' '),
    oneLine(subject ?? ''),
    makerText(record),
    changeText(record),
  ];
}
