/** `muster serve`: runs the broker (specification/command-line.md#serve). */
import { existsSync } from 'node:fs';
import { inMemory, type NamedStores } from '#platform/store-places.ts';
import type { Env } from '#protocol/paths.ts';
import { checkConfig } from '../../broker/config/load-config.ts';
import { StartUpError } from '../../broker/runtime/start-up-error.ts';
import { configHere, namedStores, type PlaceValues, usualStores } from '../broker-place.ts';
import { beginAnew, listenOptions, runBroker, setupHint } from '../run-broker.ts';
import { quoted } from '../shell-line.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster serve [options]',
  options: {
    'config-path': {
      type: 'string',
      value: '<file>',
      help: 'the configuration (default: SVC_CONFIG_PATH, or ./svc.json)',
    },
    db: {
      type: 'string',
      value: '<file>',
      help: 'the main store (default: SVC_DB_PATH or the configuration; before the setup, the file that a setup names; otherwise in memory)',
    },
    'activity-db': {
      type: 'string',
      value: '<file>',
      help: 'the activity store (default: SVC_ACTIVITY_DB_PATH or the configuration; before the setup, the file that a setup names; otherwise in memory)',
    },
    memory: { type: 'boolean', help: 'keep both stores in memory, even if there are stores on disk' },
    ...beginAnew,
    ...listenOptions,
  },
  notes: [
    'On SIGINT or SIGTERM, the broker answers the requests in progress and stops. A second signal stops it immediately.',
    'Environment: SVC_METRICS_TOKEN turns on /metrics, and OTEL_EXPORTER_OTLP_ENDPOINT sends traces to an OpenTelemetry collector (docs/guides/operations.md).',
  ],
  async run({ values, env }) {
    if (values.memory && (values.db || values['activity-db']))
      throw new UsageError('pass --memory, or --db and --activity-db, not both');
    const configPath = configHere(values, env);
    const stores = values.memory
      ? { main: null, activity: null }
      : await storesToServe(configPath, values, env);
    return runBroker({
      values,
      env: { ...env },
      configPath,
      dbPath: stores.main ?? inMemory,
      activityDbPath: stores.activity ?? inMemory,
      defaultLogLevel: 'info',
      setupHint: setupHint(values['config-path']),
    });
  },
});

/**
 * Null means memory, which is the default of a configuration only: a broker that is not set up yet keeps its
 * stores where its set-up will name them (ADR 0056). @throws StartUpError if a store exists that nothing names.
 */
async function storesToServe(configPath: string, values: PlaceValues, env: Env): Promise<NamedStores> {
  const named = namedStores(configPath, values, env);
  const usual = usualStores(configPath, env);
  const isNothingNamed = named.main === null && named.activity === null;
  if (isNothingNamed && !existsSync(configPath)) return usual[0] ?? named;
  // A person who names memory for messages has chosen.
  if (named.main === inMemory) return named;
  const left = usual.find(
    ({ main, activity }) =>
      (named.main === null && existsSync(main)) || (named.activity === null && existsSync(activity)),
  );
  if (left === undefined) return named;
  await checkConfig(configPath);
  const options = [
    ...(named.main === null ? [`--db ${quoted(left.main)}`] : []),
    ...(named.activity === null ? [`--activity-db ${quoted(left.activity)}`] : []),
  ].join(' ');
  const found = named.main === null && existsSync(left.main) ? left.main : left.activity;
  throw new StartUpError(
    `there is a store "${found}", but nothing names it. Pass ${options} or name it in "stores" of the configuration to use it, or pass --memory to keep both stores in memory.`,
  );
}
