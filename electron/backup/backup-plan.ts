/** The person's settings for backups, and how the last one ended, in a private file of the app. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { replacePrivateFile } from '#platform/private-file.ts';

export const BackupPlan = z.object({
  /** An absolute path. */
  folder: z.string().nullable(),
  isDaily: z.boolean(),
  last: z
    .object({ endedAt: z.number(), isDone: z.boolean(), text: z.string(), fault: z.string().optional() })
    .nullable(),
});
export type BackupPlan = z.infer<typeof BackupPlan>;

const noPlan: BackupPlan = { folder: null, isDaily: false, last: null };

/** A file that cannot be read means that nothing is planned. */
export async function loadBackupPlan(path: string): Promise<BackupPlan> {
  try {
    return BackupPlan.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return noPlan;
  }
}

/** @throws the system's error. */
export const saveBackupPlan = (path: string, plan: BackupPlan): Promise<void> =>
  replacePrivateFile(path, `${JSON.stringify(plan)}\n`);
