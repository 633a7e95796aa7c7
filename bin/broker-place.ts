/**
 * The places of a broker's files, for a command: from options, the environment, the configuration, or the
 * personal folders (specification/configuration.md#stores).
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  configuredStores,
  inMemory,
  type NamedStores,
  type StoresBlock,
  storesBlock,
} from '#platform/store-places.ts';
import type { AppPaths, Env } from '#protocol/paths.ts';
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
    help: 'the main store (default: SVC_DB_PATH, the configuration, or the desktop app’s)',
  },
  'activity-db': {
    type: 'string',
    value: '<file>',
    help: 'the activity store (default: SVC_ACTIVITY_DB_PATH, the configuration, or the desktop app’s)',
  },
} as const;

export interface PlaceValues {
  'config-path'?: string;
  db?: string;
  'activity-db'?: string;
}

/** The personal folders, without what the environment says. */
function personalPaths(env: Env): AppPaths {
  const { SVC_CONFIG_PATH: _config, SVC_DB_PATH: _db, SVC_ACTIVITY_DB_PATH: _activityDb, ...others } = env;
  return ownPaths(others);
}

const namedConfig = (values: PlaceValues, env: Env): string | undefined =>
  values['config-path'] || env.SVC_CONFIG_PATH || undefined;

/** The configuration of a command that may create it: `muster serve` and `muster setup`. */
export const configHere = (values: PlaceValues, env: Env): string => namedConfig(values, env) ?? './svc.json';

/** The places where the configuration of a broker that is set up may be, best first. */
export function configCandidates(values: PlaceValues, env: Env): string[] {
  const named = namedConfig(values, env);
  return named === undefined ? ['./svc.json', personalPaths(env).configPath] : [named];
}

/** Returns the first configuration that exists; if there is none, the last place. */
export function presentConfig(values: PlaceValues, env: Env): string {
  const candidates = configCandidates(values, env);
  return candidates.find((path) => existsSync(path)) ?? candidates.at(-1) ?? './svc.json';
}

/** The stores that an option, the environment, or else the configuration names. */
export function namedStores(
  configPath: string,
  values: PlaceValues,
  env: Env,
  configured: NamedStores = configuredStores(configPath),
): NamedStores {
  return {
    main: values.db || env.SVC_DB_PATH || configured.main,
    activity: values['activity-db'] || env.SVC_ACTIVITY_DB_PATH || configured.activity,
  };
}

/** The personal stores of the personal configuration; null for another one. */
function personalStores(configPath: string, env: Env): { main: string; activity: string } | null {
  const own = personalPaths(env);
  if (resolve(configPath) !== resolve(own.configPath)) return null;
  return { main: own.mainDbPath, activity: own.activityDbPath };
}

const besideConfig = (configPath: string) => {
  const folder = join(dirname(resolve(configPath)), 'data');
  return { main: join(folder, 'main.db'), activity: join(folder, 'activity.db') };
};

/** The places where the stores may be of a configuration that names none, best first. */
export const usualStores = (configPath: string, env: Env): { main: string; activity: string }[] => [
  ...[personalStores(configPath, env)].filter((stores) => stores !== null),
  besideConfig(configPath),
];

/** The stores for a new configuration. Memory is never what a set-up chooses. */
export function chosenStores(configPath: string, env: Env): StoresBlock {
  const usual = personalStores(configPath, env) ?? besideConfig(configPath);
  const fromEnv = (path: string | undefined) => (path === inMemory ? undefined : path);
  const main = fromEnv(env.SVC_DB_PATH) || usual.main;
  const activity = fromEnv(env.SVC_ACTIVITY_DB_PATH) || usual.activity;
  return storesBlock(configPath, { main, activity }) ?? {};
}

/** The stores that something names, or else the personal stores of the personal configuration. */
export function knownStores(
  configPath: string,
  values: PlaceValues,
  env: Env,
  configured?: NamedStores,
): NamedStores {
  const named = namedStores(configPath, values, env, configured);
  const personal = personalStores(configPath, env);
  return {
    main: named.main ?? personal?.main ?? null,
    activity: named.activity ?? personal?.activity ?? null,
  };
}

/** @throws CommandFailure if a store is in memory, or nothing names it. */
export function brokerPlace(
  values: PlaceValues,
  env: Env,
  configPath: string = presentConfig(values, env),
  configured?: NamedStores,
): BrokerPlace {
  const { main: mainPath, activity: activityPath } = knownStores(configPath, values, env, configured);
  const isMemory = mainPath === inMemory || activityPath === inMemory;
  if (isMemory || mainPath === null || activityPath === null)
    throw new CommandFailure(
      `the stores of "${configPath}" are ${isMemory ? 'in memory' : 'not known'}. Name their files in "stores" of the configuration, with --db and --activity-db, or with SVC_DB_PATH and SVC_ACTIVITY_DB_PATH.`,
    );
  return {
    configPath: resolve(configPath),
    mainPath: resolve(mainPath),
    activityPath: resolve(activityPath),
  };
}
