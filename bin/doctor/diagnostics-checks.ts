/**
 * The checks of `muster doctor` that read from the broker itself; they need a manager's token
 * (specification/diagnostics.md#diagnostics).
 */
import { resolve } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import { fileIdOf, inMemory, type NamedStores } from '#platform/store-places.ts';
import { svcCommand } from '#platform/svc-command.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { clockSentences } from '#protocol/clock-text.ts';
import type { Diagnostics } from '#protocol/diagnostics.ts';
import { BrokerError, isRefusedFor } from '#protocol/errors.ts';
import { sizeText } from '../files/size-text.rules.ts';
import { verifyAudit } from '../verify-audit.ts';
import { type Finding, fail, ok, skip, warn } from './finding.ts';

const slowLoopMs = 100;
const longQueue = 1000;
const checks = ['broker stores', 'files', 'broker load', 'broker clock', 'audit log'];

export async function checkDiagnostics(
  client: BrokerClient,
  configured: NamedStores | null,
): Promise<Finding[]> {
  let found: Diagnostics;
  try {
    found = await client.call('diagnostics', {});
  } catch (error) {
    if (error instanceof BrokerError && error.status === 403)
      return checks.map((check) =>
        skip(check, 'not tested because it requires the permission members.manage'),
      );
    const reason = reasonOf(error);
    return [fail('broker stores', reason, 'check the broker’s log')];
  }
  return [
    await checkStores(found, configured),
    await checkFiles(client, found),
    checkLoad(found),
    checkClock(found),
    await checkAudit(client),
  ];
}

async function checkAudit(client: BrokerClient): Promise<Finding> {
  const remedy =
    'find out who can write to the main store, and compare the log with a backup; if a record says that the log was cut and you know why, run "muster audit --acknowledge <its number>"';
  try {
    const found = await verifyAudit(client, null);
    if ('fault' in found) return fail('audit log', found.fault, remedy);
    return ok('audit log', `${found.records} records form an unbroken chain`);
  } catch (error) {
    if (error instanceof BrokerError && error.status === 404)
      return skip('audit log', 'not tested because this broker has none');
    return fail('audit log', reasonOf(error), 'check the broker’s log');
  }
}

/** Returns what differs from the configuration; an older broker names no files. */
async function otherStores({ stores }: Diagnostics, configured: NamedStores): Promise<string[]> {
  const others: string[] = [];
  for (const { name, isOnDisk, fileId } of stores) {
    const named = name === 'main' ? configured.main : configured.activity;
    if (named === null || named === inMemory || (isOnDisk && fileId === undefined)) continue;
    if (!isOnDisk) others.push(`${name} is in memory instead of "${resolve(named)}"`);
    else if (fileId !== (await fileIdOf(named))) others.push(`${name} is not "${resolve(named)}"`);
  }
  return others;
}

async function checkStores(found: Diagnostics, configured: NamedStores | null): Promise<Finding> {
  const { stores } = found;
  const faults = stores.flatMap(({ name, damage }) => (damage === undefined ? [] : [`${name}: ${damage}`]));
  if (faults.length > 0)
    return fail('broker stores', faults.join('; '), `stop the broker and run "${svcCommand} repair"`);
  const others = configured === null ? [] : await otherStores(found, configured);
  if (others.length > 0)
    return warn(
      'broker stores',
      `the running broker uses other stores than the configuration on this machine names: ${others.join(', ')}`,
      'if both belong to the same team, stop the broker, and start it without options and variables for its stores',
    );
  const detail = stores
    .map(({ name, isOnDisk, bytes }) => `${name} ${isOnDisk ? sizeText(bytes) : 'in memory'}`)
    .join(', ');
  if (stores.every(({ isOnDisk }) => isOnDisk)) return ok('broker stores', detail);
  return warn(
    'broker stores',
    detail,
    'name their files in "stores" of the configuration, and start the broker again',
  );
}

/** Messages go on without files, so nothing else shows that they are off. */
async function checkFiles(client: BrokerClient, { filesFault }: Diagnostics): Promise<Finding> {
  if (filesFault !== undefined)
    return fail('files', filesFault, 'correct files.root in the configuration, or the rights there');
  try {
    await client.call('sharedFiles', { query: { limit: '1' } });
    return ok('files', 'on');
  } catch (error) {
    if (isRefusedFor(error, 'files_off'))
      return ok('files', 'off, because the configuration has no files block');
    return fail('files', reasonOf(error), 'check the broker’s log');
  }
}

function checkClock({ clock }: Diagnostics): Finding {
  if (clock === undefined) return ok('broker clock', 'no message is ahead of it');
  return warn(
    'broker clock',
    clockSentences(clock).join(' '),
    'synchronize the clock of that machine, for example with NTP; messages keep their times and their order',
  );
}

function checkLoad({ uptime, streams, stores, eventLoopDelay, memoryBytes }: Diagnostics): Finding {
  const queued = stores.reduce((sum, store) => sum + store.queued, 0);
  const detail = [
    `up ${Math.round(uptime / 1000)} s`,
    `${streams.messages} message streams`,
    `${streams.activity} activity streams`,
    `${queued} queued units of work`,
    `event loop p99 ${eventLoopDelay.p99.toFixed(1)} ms`,
    `memory ${sizeText(memoryBytes)}`,
  ].join(', ');
  if (eventLoopDelay.p99 < slowLoopMs && queued < longQueue) return ok('broker load', detail);
  return warn('broker load', detail, 'check the load of that machine and the broker’s log');
}
