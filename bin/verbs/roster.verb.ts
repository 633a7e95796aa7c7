/** `muster roster`: every member, and who is connected. */
import type { Leaf } from '#protocol/access.ts';
import { type RosterEntry, rosterPages } from '#protocol/lists.ts';
import { refusalText } from '#protocol/model-refusal-text.ts';
import type { Presence, Roster } from '#protocol/presence.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { limitOf, listLimit } from '../list-limit.ts';
import { localTime } from '../message-line.ts';
import { printPages } from '../print-pages.ts';
import { oneLine } from '../terminal-text.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster roster [options]',
  options: { ...listLimit, ...clientOptions },
  async run({ values, env }) {
    const max = limitOf(values.limit);
    const { client } = await connectToBroker(values, env);
    await printPages(rosterPages(client, { max }), {
      isJson: values.json,
      max,
      head: ['MEMBER', 'ROLE', 'MARK', 'PRESENCE'],
      cellsOf: ({ teammate: { name, role, permissions }, presence }) => [
        name,
        role.title,
        markOf(permissions),
        presenceText(presence),
      ],
      documentOf: rosterOf,
    });
    return 0;
  },
});

const rosterOf = (entries: RosterEntry[]): Roster => ({
  teammates: entries.map(({ teammate }) => teammate),
  connected: entries.flatMap(({ presence }) => presence ?? []),
});

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

const reachText = {
  all: '',
  messages: ', without the tools of the team',
  nothing: ', reached by neither the tools nor the messages of the team',
} as const;

function runText({ run }: Presence): string {
  if (run === undefined) return '';
  const state = run.isResponding ? reachText[run.reach ?? 'all'] : ', not responding';
  return `, runs on ${oneLine(run.host)} since ${localTime(run.since)} (${oneLine(run.agent)})${state}`;
}

const modelText = ({ model }: Presence): string =>
  model === undefined ? '' : `, its model is refusing: ${refusalText(model, localTime)}`;
