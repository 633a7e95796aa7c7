/** `muster serve`: runs the broker (specification/command-line.md#serve). */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Env, servePaths } from '#protocol/paths.ts';
import { StartUpError } from '../../broker/runtime/start-up-error.ts';
import { ownPaths } from '../own-paths.ts';
import { listenOptions, runBroker, setupHint } from '../run-broker.ts';
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
    db: { type: 'string', value: '<file>', help: 'the main store (default: SVC_DB_PATH, or in memory)' },
    'activity-db': {
      type: 'string',
      value: '<file>',
      help: 'the activity store (default: SVC_ACTIVITY_DB_PATH, or in memory)',
    },
    memory: { type: 'boolean', help: 'keep both stores in memory, even if there are stores on disk' },
    ...listenOptions,
  },
  notes: [
    'On SIGINT or SIGTERM, the broker answers the requests in progress and stops. A second signal stops it immediately.',
    'Environment: SVC_METRICS_TOKEN turns on /metrics, and OTEL_EXPORTER_OTLP_ENDPOINT sends traces to an OpenTelemetry collector (docs/operations.md).',
  ],
  async run({ values, env }) {
    const defaults = servePaths(env);
    const configPath = values['config-path'] || defaults.configPath;
    if (values.memory && (values.db || values['activity-db']))
      throw new UsageError('pass --memory, or --db and --activity-db, not both');
    if (!values.memory && !values.db && !env.SVC_DB_PATH) refuseBesideStores(configPath, env);
    return runBroker({
      values,
      env: { ...env },
      configPath,
      dbPath: values.memory ? ':memory:' : values.db || defaults.mainDbPath,
      activityDbPath: values.memory ? ':memory:' : values['activity-db'] || defaults.activityDbPath,
      defaultLogLevel: 'info',
      setupHint: setupHint(values['config-path']),
    });
  },
});

/** @throws StartUpError if a main store exists at the usual place of this configuration. */
function refuseBesideStores(configPath: string, env: Env): void {
  const own = ownPaths(env);
  const folder = join(dirname(resolve(configPath)), 'data');
  const isOwn = resolve(configPath) === resolve(own.configPath);
  const stores = [
    ...(isOwn ? [[own.mainDbPath, own.activityDbPath] as const] : []),
    [join(folder, 'main.db'), join(folder, 'activity.db')] as const,
  ];
  const found = stores.find(([main]) => existsSync(main));
  if (found === undefined) return;
  const [main, activity] = found;
  throw new StartUpError(
    `there is a store "${main}", but no store is named. Pass --db ${quoted(main)} --activity-db ${quoted(activity)} to use it, or --memory to keep everything in memory.`,
  );
}
