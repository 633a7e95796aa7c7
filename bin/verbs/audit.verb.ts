/** `muster audit`: the log of security-relevant changes (specification/audit.md#on-the-command-line). */
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, codeText } from '#platform/error-text.ts';
import { nearestWord } from '#platform/nearest-word.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { AuditHead, type AuditKind } from '#protocol/audit.ts';
import { auditKinds } from '#protocol/audit-kinds.ts';
import { auditRecords } from '#protocol/audit-pages.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { auditCells } from '../audit-line.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, printJson, printJsonLine, remark } from '../output.ts';
import { printTable } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';
import { type VerifiedChain, verifyAudit } from '../verify-audit.ts';

const { pageDefault, pageMax } = limits.audit;

export const verb = defineVerb({
  usage: 'muster audit [options]',
  options: {
    kind: { type: 'string', value: '<kind>', help: 'only records of this kind' },
    member: { type: 'string', value: '<member>', help: 'only what this member did, or what is about it' },
    since: { type: 'string', value: '<time>', help: 'only from this time on, such as 2026-11-22' },
    until: { type: 'string', value: '<time>', help: 'only before this time' },
    limit: {
      type: 'string',
      value: '<n>',
      help: `number of records, 1 to ${pageMax} (default: ${pageDefault})`,
    },
    before: { type: 'string', value: '<n>', help: 'the next page: only records before this number' },
    export: { type: 'boolean', help: 'print all records, oldest first, as JSON, one per line' },
    verify: {
      type: 'boolean',
      help: 'compute the chain of hashes again, from the oldest record to the newest',
    },
    acknowledge: {
      type: 'string',
      value: '<n>',
      help: 'record that you know why the log was cut, as record <n> says, so that --verify succeeds again',
    },
    pin: {
      type: 'string',
      value: '<file>',
      help: 'with --verify: check against the record saved in this file, and save the newest one',
    },
    ...clientOptions,
    json: {
      type: 'boolean',
      help: 'print the API’s response as JSON; with --verify, { holds, records, first, head, acknowledged?, pin? } or { holds, fault }',
    },
  },
  notes: [
    'Requires the permission members.manage. Times without a time zone are local.',
    'Keep the file of --pin on another machine: whoever has it can prove later that nothing before it was changed or removed.',
    `Kinds: ${auditKinds.join(', ')}`,
  ],
  async run({ values, env }) {
    const { verify = false, pin } = values;
    if (pin !== undefined && !verify) throw new UsageError('--pin needs --verify');
    if ([verify, values.export ?? false, values.acknowledge !== undefined].filter(Boolean).length > 1)
      throw new UsageError('choose one of --verify, --export, and --acknowledge');
    refuseUnusedOptions(values);
    const filters = {
      kind: kindOf(values.kind),
      member: values.member,
      since: timeOf('--since', values.since),
      until: timeOf('--until', values.until),
    };
    const limit = countOf('--limit', values.limit, pageMax);
    const before = countOf('--before', values.before, Number.MAX_SAFE_INTEGER);
    const cut = countOf('--acknowledge', values.acknowledge, Number.MAX_SAFE_INTEGER);
    const { client } = await connectToBroker(values, env);
    if (cut !== undefined) {
      await client.call('acknowledgeAuditCut', { params: { seq: cut } });
      remark(`acknowledged the cut that record ${cut} tells of`);
      return 0;
    }
    if (verify) return verifyChain(client, pin, values.json ?? false);
    if (values.export) {
      for await (const record of auditRecords(client, filters)) printJsonLine(record);
      return 0;
    }
    const page = await client.call('audit', { query: { ...filters, limit, before } });
    if (values.json) printJson(page);
    else if (page.records.length > 0)
      printTable(['NO.', 'TIME', 'KIND', 'ABOUT', 'BY', 'CHANGE'], page.records.map(auditCells));
    else remark('no records');
    if (!values.json && page.next !== null) remark(`for older records, add --before ${page.next}`);
    return 0;
  },
});

const pageOptions = ['limit', 'before'] as const;
const selections = ['kind', 'member', 'since', 'until', ...pageOptions] as const;
/** The options that an action would pass over. */
const unused = [
  { action: 'verify', options: selections, reason: 'it checks the whole log' },
  { action: 'acknowledge', options: selections, reason: 'it is about one record' },
  { action: 'export', options: pageOptions, reason: 'it prints all records' },
] as const;

function refuseUnusedOptions(
  values: Partial<Record<(typeof selections)[number] | (typeof unused)[number]['action'], string | boolean>>,
): void {
  for (const { action, options, reason } of unused) {
    const option = options.find((name) => values[name] !== undefined);
    if (values[action] && option !== undefined)
      throw new UsageError(`--${action} does not accept --${option}, because ${reason}`);
  }
}

function kindOf(written: string | undefined): AuditKind | undefined {
  const kind = auditKinds.find((one) => one === written?.replaceAll(' ', '_'));
  if (written === undefined || kind !== undefined) return kind;
  const near = nearestWord(written, auditKinds);
  throw new UsageError(
    `there is no kind "${written}"${near === undefined ? '' : `. Did you mean "${near}"?`}`,
  );
}

/** A date alone is midnight in local time. */
function timeOf(option: string, written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(written) ? `${written}T00:00` : written).getTime();
  if (Number.isNaN(at) || at < 0)
    throw new UsageError(`${option} must be a time such as 2026-11-22 or 2026-11-22T14:30`);
  return String(at);
}

function countOf(option: string, written: string | undefined, max: number): string | undefined {
  if (written === undefined) return undefined;
  if (/^\d{1,16}$/.test(written) && Number(written) >= 1 && Number(written) <= max) return written;
  throw new UsageError(`${option} must be a number from 1 to ${max}`);
}

/** Null if nothing was saved yet. @throws CommandFailure if nothing can be read or saved there. */
async function readPin(path: string): Promise<AuditHead | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw new CommandFailure(`cannot read "${path}": ${codeText(error)}`);
    const folder = dirname(path);
    if ((await stat(folder).catch(() => null)) !== null) return null;
    throw new CommandFailure(
      `there is no folder "${folder}" for the saved record. Create it, or correct --pin.`,
    );
  }
  try {
    return AuditHead.parse(JSON.parse(text));
  } catch {
    throw new CommandFailure(`"${path}" is not a file that "muster audit --verify --pin" saved`);
  }
}

/** Says what holds and what does not. Exits with 1 if the chain or the saved record does not hold. */
async function verifyChain(client: BrokerClient, path: string | undefined, isJson: boolean): Promise<number> {
  const pin = path === undefined ? null : await readPin(path);
  const found = await verifyAudit(client, pin?.seq ?? null);
  const fault = 'fault' in found ? found.fault : pinFault(pin, found);
  if ('fault' in found || fault !== null) {
    if (isJson) printJson({ holds: false, fault });
    else print(`does not hold: ${fault}`);
    return 1;
  }
  const { first, head, records, acknowledged } = found;
  if (path !== undefined) await replacePrivateFile(path, `${JSON.stringify(head)}\n`);
  if (isJson)
    printJson({
      holds: true,
      records,
      first,
      head,
      ...(acknowledged.length > 0 && { acknowledged }),
      ...(path === undefined ? {} : { pin }),
    });
  else {
    print(`holds: ${records} records, ${first.seq + 1} to ${head.seq}`);
    for (const { seq, by } of acknowledged)
      print(`the log was cut (record ${seq}), which ${by ?? 'the host'} acknowledged`);
    print(`newest: ${head.seq} ${head.hash}`);
    if (pin !== null) print(`contains the saved record ${pin.seq}`);
    else if (path !== undefined) print(`nothing was saved in ${path} before; saved record ${head.seq} now`);
  }
  return 0;
}

function pinFault(pin: AuditHead | null, { first, head, pinned }: VerifiedChain): string | null {
  if (pin === null || pinned === pin.hash) return null;
  if (pin.seq > head.seq) return `the log ends at record ${head.seq}, before the saved record ${pin.seq}`;
  if (pin.seq < first.seq)
    return `the saved record ${pin.seq} was removed by retention; the log begins after ${first.seq}`;
  return `record ${pin.seq} is another one than the saved one`;
}
