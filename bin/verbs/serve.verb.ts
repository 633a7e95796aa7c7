/** `muster serve`: runs the broker (specification/command-line.md#serve). */
import { servePaths } from '#protocol/paths.ts';
import { listenOptions, runBroker, setupHint } from '../run-broker.ts';
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
    ...listenOptions,
  },
  notes: [
    'On SIGINT or SIGTERM, the broker answers the requests in progress and stops. A second signal stops it immediately.',
    'Environment: SVC_METRICS_TOKEN turns on /metrics, and OTEL_EXPORTER_OTLP_ENDPOINT sends traces to an OpenTelemetry collector (docs/operations.md).',
  ],
  async run({ values, env }) {
    const defaults = servePaths(env);
    return runBroker({
      values,
      env: { ...env },
      configPath: values['config-path'] || defaults.configPath,
      dbPath: values.db || defaults.mainDbPath,
      activityDbPath: values['activity-db'] || defaults.activityDbPath,
      defaultLogLevel: 'info',
      setupHint: setupHint(values['config-path']),
    });
  },
});
