/** Where the broker of a command keeps its files, from options, the environment, or the desktop app's folders. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Env } from '#protocol/paths.ts';
import type { BrokerPlace } from '../broker/backup/broker-files.ts';
import { CommandFailure } from './command-failure.ts';
import { ownPaths } from './own-paths.ts';

export const placeOptions = {
  'config-path': {
    type: 'string',
    value: '<file>',
    help: 'the configuration (default: SVC_CONFIG_PATH, ./svc.json, or the desktop app’s)',
  },
  db: {
    type: 'string',
    value: '<file>',
    help: 'the main store (default: SVC_DB_PATH, or the desktop app’s)',
  },
  'activity-db': {
    type: 'string',
    value: '<file>',
    help: 'the activity store (default: SVC_ACTIVITY_DB_PATH, or the desktop app’s)',
  },
} as const;

export interface PlaceValues {
  'config-path'?: string;
  db?: string;
  'activity-db'?: string;
}

/**
 * The stores of the desktop app belong to its configuration only. @throws CommandFailure if the stores of
 * another one are not named.
 */
export function brokerPlace(values: PlaceValues, env: Env): BrokerPlace {
  const { SVC_CONFIG_PATH: _config, SVC_DB_PATH: _db, SVC_ACTIVITY_DB_PATH: _activityDb, ...others } = env;
  const own = ownPaths(others);
  const isHere = existsSync('./svc.json');
  const configPath = values['config-path'] || env.SVC_CONFIG_PATH || (isHere ? './svc.json' : own.configPath);
  const isOwn = resolve(configPath) === resolve(own.configPath);
  const mainPath = values.db || env.SVC_DB_PATH || (isOwn ? own.mainDbPath : '');
  const activityPath = values['activity-db'] || env.SVC_ACTIVITY_DB_PATH || (isOwn ? own.activityDbPath : '');
  const paths = [mainPath, activityPath];
  if (paths.includes('') || paths.includes(':memory:'))
    throw new CommandFailure(
      `the stores of "${configPath}" are ${paths.includes(':memory:') ? 'in memory' : 'not known'}. Name their files with --db and --activity-db, or SVC_DB_PATH and SVC_ACTIVITY_DB_PATH.`,
    );
  return {
    configPath: resolve(configPath),
    mainPath: resolve(mainPath),
    activityPath: resolve(activityPath),
  };
}
