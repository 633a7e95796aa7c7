/** The rules of retention as a person writes and reads them (specification/retention.md#on-the-command-line). */
import { counted } from '#protocol/counted.ts';
import type { AgeAndSize, LegalHold, RetentionRun, RetentionState } from '#protocol/retention.ts';
import { sizeText } from './files/size-text.rules.ts';
import { localTime } from './message-line.ts';
import { oneLine } from './terminal-text.ts';
import { UsageError } from './usage-error.ts';

const unitBytes: Record<string, number> = { '': 1, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

const written = (count: number): string => count.toLocaleString('en-US');

/** Returns `10GiB` in bytes. @throws UsageError. */
function bytesOf(option: string, text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,15})(MiB|GiB|TiB)?$/.exec(text) ?? [];
  const bytes = Number(amount) * (unitBytes[unit] ?? Number.NaN);
  if (!(bytes > 0) || !Number.isSafeInteger(bytes))
    throw new UsageError(`${option} must be a size such as 500MiB or 10GiB, or "off"`);
  return bytes;
}

/** @throws UsageError. */
export function countOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} must be a number from 1 on, or "off"`);
  return Number(text);
}

/**
 * Returns a rule with the parts that were written in place of its present ones; null if nothing is left of it, and undefined if nothing
 * was written.
 */
export function changedRule<Rule extends Record<string, number | undefined>>(
  present: Rule | undefined,
  parts: { [Part in keyof Rule]-?: { option: string; text: string | undefined; isSize?: boolean } },
): Rule | null | undefined {
  const given = Object.entries(parts).filter(([, { text }]) => text !== undefined);
  if (given.length === 0) return undefined;
  const rule: Record<string, number | undefined> = { ...present };
  for (const [part, { option, text = '', isSize = false }] of given) {
    if (text === 'off') delete rule[part];
    else rule[part] = isSize ? bytesOf(option, text) : countOf(option, text);
  }
  return Object.keys(rule).length === 0 ? null : (rule as Rule);
}

function ageAndSizeText(rule: AgeAndSize | undefined): string {
  const parts = [
    ...(rule?.days === undefined ? [] : [`${written(rule.days)} days`]),
    ...(rule?.maxBytes === undefined ? [] : [sizeText(rule.maxBytes)]),
  ];
  return parts.join(', ') || 'kept forever';
}

function runText({ startedAt, endedAt, messages, activity, audit }: RetentionRun): string {
  const removed = `removed ${counted(messages, 'message')}, ${counted(activity, 'row')} of activity, and ${counted(audit, 'audit record')}`;
  return `${localTime(startedAt)}, ${endedAt === null ? 'in progress' : 'ended'}, ${removed}`;
}

const holdText = ({ id, on, reason, by, at }: LegalHold): string =>
  `${id}  ${on}  ${oneLine(reason)} (${oneLine(by)}, ${localTime(at)})`;

/** A line per rule and hold, and one for the newest run. `slugs` are of channels by id. */
export function retentionLines(state: RetentionState, slugs: ReadonlyMap<string, string>): string[] {
  const { messages, activity, audit, channels, holds, run } = state;
  const auditParts = [
    ...(audit?.days === undefined ? [] : [`${written(audit.days)} days`]),
    ...(audit?.maxRecords === undefined ? [] : [`${written(audit.maxRecords)} records`]),
  ];
  return [
    `Messages:  ${ageAndSizeText(messages)}`,
    ...Object.entries(channels).map(
      ([id, { days }]) =>
        `  #${oneLine(slugs.get(id) ?? id)}: ${days === null ? 'kept forever' : `${written(days)} days`}`,
    ),
    `Activity:  ${ageAndSizeText(activity)}`,
    `Audit log: ${auditParts.join(', ') || 'kept forever'}`,
    ...holds.map((hold) => `Hold:      ${holdText(hold)}`),
    ...(run === null ? [] : [`Run:       ${runText(run)}`]),
  ];
}
