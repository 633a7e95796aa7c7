/** `svc serve`: runs the broker (specification/command-line.md#serve). */
import { servePaths } from '#protocol/paths.ts';
import { listenOptions, runBroker, setupHint } from '../run-broker.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'svc serve [options]',
  options: {
    'config-path': {
      type: 'string',
      value: '<file>',
      help: 'the configuration (else SVC_CONFIG_PATH, ./svc.json)',
    },
    db: { type: 'string', value: '<file>', help: 'the main store (else SVC_DB_PATH, memory)' },
    'activity-db': {
      type: 'string',
      value: '<file>',
      help: 'the activity store (else SVC_ACTIVITY_DB_PATH, memory)',
    },
    ...listenOptions,
  },
  notes: [
    'Stops on SIGINT or SIGTERM after answering what it has taken on; a second signal stops it at once.',
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
