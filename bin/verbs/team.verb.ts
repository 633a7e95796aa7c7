/** `muster team`: the team's name, directive, brief, and permission presets (specification/team.md#team). */
import { limits } from '#protocol/limits.ts';
import type { Team } from '#protocol/team.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { print, printJson } from '../output.ts';
import { block, oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const { hops: hopsDefault, hopsMax } = limits.holds;

export const verb = defineActions({
  name: 'team',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    name: { type: 'string', value: '<name>', help: 'name of the team' },
    directive: { type: 'string', value: '<text>', help: 'what the team should achieve' },
    brief: { type: 'string', value: '<text>', help: 'what every member must know' },
    presets: {
      type: 'string',
      value: '<json>',
      help: 'all permission presets as JSON: {"name": ["permission", …]}',
    },
    'max-agent-hops': {
      type: 'string',
      value: '<n>',
      help: `posts by agents in a row before the next one is held, 1 to ${hopsMax}, or "default" for ${hopsDefault}`,
    },
    ...clientOptions,
  },
  actions: {
    get: {
      summary: 'show the team',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        show(await client.call('team', {}), values.json);
        return 0;
      },
    },
    set: {
      summary: 'change the team',
      words: [],
      options: ['name', 'directive', 'brief', 'presets', 'max-agent-hops'],
      example: 'muster team set --directive "Ship the first release"',
      async run({ values, env }) {
        const { name, directive, brief, presets } = values;
        const hops = values['max-agent-hops'];
        if ([name, directive, brief, presets, hops].every((value) => value === undefined))
          throw new UsageError(
            'nothing to change. Pass --name, --directive, --brief, --presets, or --max-agent-hops.',
          );
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('updateTeam', {
          body: {
            ...(name !== undefined && { name }),
            ...(directive !== undefined && { directive }),
            ...(brief !== undefined && { brief }),
            ...(presets !== undefined && { permissionPresets: presetsOf(presets) }),
            ...(hops !== undefined && { maxAgentHops: hopsOf(hops) }),
          },
        });
        show(reply, values.json);
        return 0;
      },
    },
  },
});

function presetsOf(text: string): Record<string, string[]> {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--presets must be JSON, such as {"helper": ["objectives.watch"]}');
  }
}

function hopsOf(text: string): number | null {
  if (text === 'default') return null;
  const hops = Number(text);
  if (!/^\d{1,4}$/.test(text) || hops < 1 || hops > hopsMax)
    throw new UsageError(`--max-agent-hops must be a number from 1 to ${hopsMax}, or "default"`);
  return hops;
}

function show(team: Team, json: boolean | undefined): void {
  if (json) {
    printJson(team);
    return;
  }
  print(`Name:       ${oneLine(team.name)}`);
  print(`Directive:  ${block(team.directive)}`);
  print(`Brief:      ${block(team.brief)}`);
  if (team.maxAgentHops !== undefined) print(`Held after: ${team.maxAgentHops} (posts by agents in a row)`);
  for (const [preset, entries] of Object.entries(team.permissionPresets))
    print(`Preset:     ${oneLine(preset)} = ${oneLine(entries.join(', '))}`);
}
