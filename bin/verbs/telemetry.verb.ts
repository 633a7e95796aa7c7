/**
 * `muster telemetry`: off until enabled; it shows exactly what would be sent
 * (specification/diagnostics.md#telemetry).
 */
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { reportOf } from '../../broker/features/telemetry/telemetry.service.ts';
import {
  enabledState,
  readTelemetry,
  rotatedState,
  type TelemetryState,
  writeTelemetry,
} from '../../broker/features/telemetry/telemetry-state.ts';
import manifest from '../../package.json' with { type: 'json' };
import { defineActions } from '../actions.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, printJson } from '../output.ts';
import { ownPaths } from '../own-paths.ts';

const about = { version: manifest.version, platform: process.platform };

async function read(path: string): Promise<TelemetryState | null> {
  try {
    return await readTelemetry(path);
  } catch (error) {
    throw new CommandFailure(reasonOf(error));
  }
}

function show(state: TelemetryState | null, json: boolean | undefined, url: string | undefined): void {
  if (json) {
    printJson(state ?? { enabled: false });
    return;
  }
  if (!state?.enabled) print('telemetry is off, and nothing is sent');
  else {
    print(`telemetry is on since ${state.enabledAt} with the install id ${state.installId}`);
    print(
      `boot event ${state.bootEventSent ? 'sent' : 'not sent'}, directive-complete event ${state.missionEventSent ? 'sent' : 'not sent'}`,
    );
    if (!url) print('SVC_TELEMETRY_URL is not set, so nothing is sent');
  }
}

export const verb = defineActions({
  name: 'telemetry',
  common: ['json'],
  options: { json: { type: 'boolean', help: 'print the state' } },
  actions: {
    status: {
      summary: 'show whether telemetry is on, and what was sent',
      words: [],
      options: [],
      async run({ values, env }) {
        show(await read(ownPaths(env).telemetryPath), values.json, env.SVC_TELEMETRY_URL);
        return 0;
      },
    },
    enable: {
      summary: 'turn telemetry on; it sends at most one boot event and one directive-complete event',
      words: [],
      options: [],
      run: ({ values, env }) => change(env, values.json, (state) => enabledState(state, Date.now())),
    },
    disable: {
      summary: 'turn telemetry off',
      words: [],
      options: [],
      run: ({ values, env }) => change(env, values.json, (state) => state && { ...state, enabled: false }),
    },
    preview: {
      summary: 'show exactly what would be sent',
      words: [],
      options: [],
      async run({ env }) {
        const state = (await read(ownPaths(env).telemetryPath)) ?? enabledState(null, Date.now());
        for (const event of ['boot', 'directive-complete'] as const) printJson(reportOf(event, state, about));
        return 0;
      },
    },
    rotate: {
      summary: 'create a new install id; both events may be sent again',
      words: [],
      options: [],
      run: ({ values, env }) =>
        change(env, values.json, (state) => {
          if (state === null)
            throw new CommandFailure(
              'there is no install id yet. Run "muster telemetry enable" to create one.',
            );
          return rotatedState(state);
        }),
    },
  },
});

async function change(
  env: Parameters<typeof ownPaths>[0],
  json: boolean | undefined,
  next: (state: TelemetryState | null) => TelemetryState | null,
): Promise<number> {
  const path = ownPaths(env).telemetryPath;
  const state = next(await read(path));
  if (state !== null) await writeTelemetry(path, state);
  show(state, json, env.SVC_TELEMETRY_URL);
  return 0;
}
