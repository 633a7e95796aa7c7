/** The paths of this person's files on this machine (specification/configuration.md#paths). */
import { homedir } from 'node:os';
import process from 'node:process';
import { type AppPaths, appPaths, type Env } from '#protocol/paths.ts';

export const ownPaths = (env: Env): AppPaths =>
  appPaths({ platform: process.platform, env, home: homedir() });
