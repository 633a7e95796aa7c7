/**
 * A repair that kills itself before one of its file operations: `killed-repair.ts <folder> <operation>`. It prints how many
 * there were if it was not killed.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

const [folder = '', killAt = ''] = process.argv.slice(2);
let operations = 0;

for (const name of ['copyFileSync', 'linkSync', 'renameSync', 'rmSync', 'writeSync', 'fsyncSync'] as const) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      operations += 1;
      if (operations === Number(killAt)) process.kill(process.pid, 'SIGKILL');
      return original(...args);
    },
  });
}
syncBuiltinESMExports();

const { repairStores } = await import('../backup/repair-stores.ts');
repairStores({
  mainPath: join(folder, 'main.db'),
  activityPath: join(folder, 'activity.db'),
  isCheck: false,
  now: Date.now(),
  onRows: () => undefined,
});
console.log(operations);
