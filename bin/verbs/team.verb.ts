/** `svc team`: the team's name, directive, brief, and permission presets (specification/team.md#team). */
import type { Team } from '#protocol/team.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { print, printJson } from '../output.ts';
import { block, oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

export const verb = defineActions({
  name: 'team',
  common: ['url', 'token', 'json'],
  options: {
    name: { type: 'string', value: '<name>', help: 'name of the team' },
    directive: { type: 'string', value: '<text>', help: 'what the team should achieve' },
    brief: { type: 'string', value: '<text>', help: 'what every member must know' },
    presets: {
      type: 'string',
      value: '<json>',
      help: 'all permission presets as JSON: {"name": ["permission", …]}',
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
      options: ['name', 'directive', 'brief', 'presets'],
      async run({ values, env }) {
        const { name, directive, brief, presets } = values;
        if ([name, directive, brief, presets].every((value) => value === undefined))
          throw new UsageError('nothing to change. Pass --name, --directive, --brief, or --presets.');
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('updateTeam', {
          body: {
            ...(name !== undefined && { name }),
            ...(directive !== undefined && { directive }),
            ...(brief !== undefined && { brief }),
            ...(presets !== undefined && { permissionPresets: presetsOf(presets) }),
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

function show(team: Team, json: boolean | undefined): void {
  if (json) {
    printJson(team);
    return;
  }
  print(`Name:       ${oneLine(team.name)}`);
  print(`Directive:  ${block(team.directive)}`);
  print(`Brief:      ${block(team.brief)}`);
  for (const [preset, entries] of Object.entries(team.permissionPresets))
    print(`Preset:     ${oneLine(preset)} = ${oneLine(entries.join(', '))}`);
}
