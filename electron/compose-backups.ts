/** Composes the backups of this desktop. */
import { join } from 'node:path';
import process from 'node:process';
import { app } from 'electron';
import { passedEnvironment, runnerProgram } from './agents/spawn-plan.rules.ts';
import { type Backups, createBackups } from './backup/backups.ts';
import { runBackup } from './backup/run-backup.ts';
import type { DesktopContext } from './desktop-context.ts';

export async function composeBackups({ paths, env, log, quitting }: DesktopContext): Promise<Backups> {
  const { platform } = process;
  const program = {
    ...runnerProgram({
      platform,
      isPackaged: app.isPackaged,
      resourcesPath: process.resourcesPath,
      appPath: app.getAppPath(),
      checkoutNode: env.SVC_NODE,
    }),
    env: {
      ...passedEnvironment(platform, env),
      PATH: env.PATH ?? '',
      SVC_CONFIG_PATH: paths.configPath,
      SVC_DB_PATH: paths.mainDbPath,
      SVC_ACTIVITY_DB_PATH: paths.activityDbPath,
    },
  };
  const backups = await createBackups({
    path: join(paths.configDir, 'desktop-backup.json'),
    run: (folder) => runBackup(program, folder),
    now: Date.now,
    log,
  });
  quitting.add('backups', backups.stop);
  return backups;
}
