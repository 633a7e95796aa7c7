/** From the start of a broker that others stand by for to its term as the active one. */
import type { ListenAt } from '../broker.ts';
import type { Log } from '../runtime/log.ts';
import { activityMigrations } from '../storage/activity.migrations.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { watchActive } from './active-address.ts';
import { type FollowOptions, follow } from './follow.ts';
import { createMachineReport } from './machines.ts';
import { sayOnce } from './say-once.ts';
import { watchSharedFiles } from './shared-files.ts';
import { createFilePlacer } from './small-files.ts';
import { listenStandingBy } from './standby-listener.ts';
import type { StandbySettings } from './standby-settings.ts';
import { beginTerm, type Term } from './term.ts';

export interface StandByOptions extends Pick<FollowOptions, 'onTeam'> {
  settings: StandbySettings;
  configPath: string;
  dbPath: string;
  activityDbPath: string;
  version: string;
  at: ListenAt;
  log: Log;
  /** Called with the address at which it says that it stands by. */
  onListening: (url: string) => void;
  /** Ends this process at once: another broker may answer. */
  onLost: (reason: string) => void;
  /** Tells it to stop before its term. */
  signal: AbortSignal;
}

/**
 * Resolves when this broker is the active one; null when it was told to stop.
 * @throws StartUpError if it must not stand by with this database or these files.
 */
export async function standBy(options: StandByOptions): Promise<Term | null> {
  const { settings, configPath, dbPath, activityDbPath, log, signal, onLost } = options;
  const placer = await createFilePlacer(configPath, dbPath);
  const listener = await listenStandingBy({ ...options, kek: settings.kek });
  options.onListening(listener.url);
  const report = createMachineReport(settings, options.version, listener.addresses);
  const watch = watchActive(settings, listener.point);
  const sayFault = faultLog(log);
  const faultOfFiles = watchSharedFiles(configPath);
  const sayFaultOfFiles = filesFaultLog(log);
  let hasFiles = true;
  try {
    const taken = await follow({
      ...settings,
      stores: [
        { store: 'main', file: dbPath, schema: mainMigrations.length },
        { store: 'activity', file: activityDbPath, schema: activityMigrations.length },
      ],
      mayBegin: placer.isConfigured,
      refuseOther: placer.refuseOther,
      async placeFiles(pageLog) {
        await placer.place(pageLog);
        await listener.refresh();
        const fault = await faultOfFiles();
        sayFaultOfFiles(fault);
        hasFiles = fault === null;
      },
      onFault(fault) {
        sayFault(fault);
        report.note(fault === null && hasFiles);
      },
      onTeam: options.onTeam,
      signal,
    });
    if (taken !== null) report.note(true);
    return taken && beginTerm({ settings, configPath, taken, onLost, log });
  } finally {
    await Promise.all([report.end(), watch.end()]);
    await listener.close();
  }
}

const faultLog = (log: Log) =>
  sayOnce((fault) => {
    if (fault === null) log.info('this broker stands by, and has what the database has');
    else log.warn({ reason: fault }, 'this broker does not stand by now');
  });

const filesFaultLog = (log: Log) => {
  let wasMissing = false;
  return sayOnce((reason) => {
    if (reason !== null)
      log.warn({ reason }, 'this machine would take over, but without the contents of files');
    else if (wasMissing) log.info('this machine has the contents of files again');
    wasMissing = reason !== null;
  });
};
