/** The backups of the desktop app: by hand, and once a day (specification/desktop.md#backups). */
import type { BackupView } from '../bridge.ts';
import { Refusal } from '../refusal.ts';
import { type BackupPlan, loadBackupPlan, saveBackupPlan } from './backup-plan.ts';
import { isBackupDue } from './backup-schedule.rules.ts';
import type { RunningBackup } from './run-backup.ts';

export interface Backups {
  view(): BackupView;
  setFolder(folder: string): Promise<void>;
  setDaily(isDaily: boolean): Promise<void>;
  /** Begins one now. @throws Refusal without a folder, while one runs, and on a machine that stands by. */
  backUp(): void;
  stop(): Promise<void>;
}

export interface BackupsDeps {
  /** The file of the plan. */
  path: string;
  run(folder: string): RunningBackup;
  /** Why none can be made on this machine now; null if one can. */
  obstacle(): Refusal | null;
  now(): number;
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** How often it is asked whether one is due, ms. */
  lookMs?: number;
}

const defaultLookMs = 60_000;

export async function createBackups(deps: BackupsDeps): Promise<Backups> {
  const { path, run, obstacle, now, log, lookMs = defaultLookMs } = deps;
  let plan = await loadBackupPlan(path);
  let running: RunningBackup | null = null;
  let ending: Promise<void> = Promise.resolve();

  async function keep(change: Partial<BackupPlan>): Promise<void> {
    plan = { ...plan, ...change };
    await saveBackupPlan(path, plan);
  }

  function begin(folder: string): void {
    const started = run(folder);
    running = started;
    ending = started.outcome.then(async (outcome) => {
      const { isDone, text, fault } = outcome;
      running = null;
      if (!isDone) log.warn({ folder, reason: text }, 'a backup failed');
      else if (fault === undefined) log.info({ folder }, 'a backup was made');
      else log.warn({ folder, fault }, 'a backup was made, with a fault');
      await keep({ last: { endedAt: now(), ...outcome } }).catch((err: unknown) =>
        log.warn({ err }, 'the outcome of a backup could not be saved'),
      );
    });
  }

  const looking = setInterval(() => {
    const { folder, isDaily, last } = plan;
    if (folder === null || !isDaily || running !== null || obstacle() !== null) return;
    if (isBackupDue(last, now())) begin(folder);
  }, lookMs);
  looking.unref();

  return {
    view: () => ({ ...plan, isRunning: running !== null }),
    setFolder: (folder) => keep({ folder }),
    async setDaily(isDaily) {
      if (isDaily && plan.folder === null) throw new Refusal('conflict', 'choose a folder for backups first');
      await keep({ isDaily });
    },
    backUp() {
      if (plan.folder === null) throw new Refusal('conflict', 'choose a folder for backups first');
      if (running !== null) throw new Refusal('conflict', 'a backup is running');
      const refusal = obstacle();
      if (refusal !== null) throw refusal;
      begin(plan.folder);
    },
    async stop() {
      clearInterval(looking);
      running?.stop();
      await ending;
    },
  };
}
