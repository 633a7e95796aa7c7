/** Composes the backups of this desktop. */
import { join } from 'node:path';
import process from 'node:process';
import { app } from 'electron';
import { passedEnvironment, runnerProgram } from './agents/spawn-plan.rules.ts';
import { type Backups, createBackups } from './backup/backups.ts';
import { bucketEnvironment, runBackup } from './backup/run-backup.ts';
import type { HostedBroker } from './compose-broker.ts';
import type { DesktopContext } from './desktop-context.ts';
import { notHere } from './refusal.ts';

export async function composeBackups(
  { paths, env, log, quitting }: DesktopContext,
  { host, database }: HostedBroker,
): Promise<Backups> {
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
      ...bucketEnvironment(env),
      PATH: env.PATH ?? '',
      SVC_CONFIG_PATH: paths.configPath,
      SVC_DB_PATH: paths.mainDbPath,
      SVC_ACTIVITY_DB_PATH: paths.activityDbPath,
    },
  };
  const backups = await createBackups({
    path: join(paths.configDir, 'desktop-backup.json'),
    run: (folder) => runBackup(program, folder),
    // A copy is written in place, and never a moment at which it can be read as a whole.
    obstacle: () => (database.source !== null && host.state.kind !== 'running' ? notHere(host.state) : null),
    now: Date.now,
    log,
  });
  quitting.add('backups', backups.stop);
  return backups;
}
