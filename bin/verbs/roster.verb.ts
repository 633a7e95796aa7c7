/** `svc roster`: every member, and who is connected. */
import type { Leaf } from '#protocol/access.ts';
import { refusalText } from '#protocol/model-refusal-text.ts';
import type { Presence, Roster } from '#protocol/presence.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { localTime } from '../message-line.ts';
import { print, printJson } from '../output.ts';
import { oneLine } from '../terminal-text.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'svc roster [options]',
  options: clientOptions,
  async run({ values, env }) {
    const { client } = await connectToBroker(values, env);
    const roster = await client.call('roster', {});
    if (values.json) printJson(roster);
    else for (const line of rosterTable(roster)) print(line);
    return 0;
  },
});

function rosterTable({ teammates, connected }: Roster): string[] {
  const presenceByName = new Map(connected.map((presence) => [presence.name, presence]));
  const rows = teammates.map(({ name, role, permissions }) => [
    oneLine(name),
    oneLine(role.title),
    markOf(permissions),
    presenceText(presenceByName.get(name)),
  ]);
  return aligned([['MEMBER', 'ROLE', 'MARK', 'PRESENCE'], ...rows]);
}

/**
 * `admin` holds members.manage, and `operator` objectives.create without it
 * (specification/runner.md#toolbox-rules).
 */
function markOf(permissions: readonly Leaf[]): string {
  if (permissions.includes('members.manage')) return 'admin';
  return permissions.includes('objectives.create') ? 'operator' : '';
}

function presenceText(presence: Presence | undefined): string {
  if (presence !== undefined && presence.connected > 0)
    return `connected=${presence.connected}${presence.busy ? ' busy' : ''}${runText(presence)}${modelText(presence)}`;
  const seen = presence?.lastSeen ?? null;
  return seen === null ? 'offline' : `offline, last seen ${localTime(seen)}`;
}

function runText({ run }: Presence): string {
  if (run === undefined) return '';
  const state = run.isResponding ? '' : ', not responding';
  return `, runs on ${oneLine(run.host)} since ${localTime(run.since)} (${oneLine(run.agent)})${state}`;
}

const modelText = ({ model }: Presence): string =>
  model === undefined ? '' : `, its model is refusing: ${refusalText(model, localTime)}`;

function aligned(rows: string[][]): string[] {
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
