/** Where this person's files are on this machine (D15). */
import { homedir } from 'node:os';
import process from 'node:process';
import { type AppPaths, appPaths, type Env } from '#protocol/paths.ts';

export const ownPaths = (env: Env): AppPaths =>
  appPaths({ platform: process.platform, env, home: homedir() });
