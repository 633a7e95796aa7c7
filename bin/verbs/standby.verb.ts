/** `muster standby`: who is active, and who stands by (specification/standby.md#status). */
import type { StandbyStatus } from '../../broker/standby/machines.ts';
import { standbyLateMs } from '../../broker/standby/term-of.ts';
import { defineActions } from '../actions.ts';
import { CommandFailure } from '../command-failure.ts';
import { sizeText } from '../files/size-text.rules.ts';
import { localTime } from '../message-line.ts';
import { complain, print, printJson } from '../output.ts';
import { askStandbys, standbyFault } from '../standby-status.ts';
import { printTable } from '../table.ts';

export const verb = defineActions({
  name: 'standby',
  common: ['json'],
  options: {
    json: { type: 'boolean', help: 'print one object with active, machines, and bytes; times are in ms' },
  },
  fallback: 'status',
  actions: {
    status: {
      summary: 'show which machine is active and which ones stand by; exits with 1 if nobody could take over',
      words: [],
      options: [],
      async run({ values, env }) {
        const url = env.SVC_STANDBY_URL;
        if (!url)
          throw new CommandFailure(
            'SVC_STANDBY_URL is not set; if other machines stand by, run the command with the variables of the broker’s service',
          );
        const status = await askStandbys(url);
        if (values.json) printJson(status);
        else show(status);
        const fault = standbyFault(status);
        if (fault !== null) complain(fault);
        return fault === null ? 0 : 1;
      },
    },
  },
});

function show({ active, machines, bytes }: StandbyStatus): void {
  const others = machines.filter(({ name }) => !active?.isConfirmed || name !== active.name);
  printTable(
    ['MACHINE', 'STATE', 'VERSION', 'SEEN'],
    [
      ...(active?.isConfirmed
        ? [
            [
              active.name,
              `active since ${localTime(active.since)}`,
              versionOf(active.name, machines),
              agoText(active.age ?? 0),
            ],
          ]
        : []),
      ...others.map((machine) => [machine.name, stateOf(machine), machine.version, agoText(machine.age)]),
    ],
    'no machine is there',
  );
  print(`the database holds ${sizeText(bytes)} of the team`);
}

/** It said so when it stood by. */
const versionOf = (name: string, machines: StandbyStatus['machines']): string =>
  machines.find((machine) => machine.name === name)?.version ?? '';

function stateOf(machine: StandbyStatus['machines'][number]): string {
  if (machine.age >= standbyLateMs) return 'not there';
  return machine.isComplete ? 'stands by with everything' : 'lacks something; see its log';
}

function agoText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s ago`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}
