/** Child processes while the app has no free file descriptors. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, test } from 'vitest';

const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

test.runIf(process.platform !== 'win32')(
  'a process that cannot be started reports it, and throws nothing',
  () => {
    const script = `
    import { openSync } from 'node:fs';
    import { startRunner } from ${moduleAt('./agent-process.ts')};
    import { readLoginPath } from ${moduleAt('./login-path.ts')};
    import { runBackup } from ${moduleAt('../backup/run-backup.ts')};
    try {
      for (;;) openSync('/dev/null', 'r');
    } catch {
      // There are no more.
    }
    const command = process.execPath;
    const code = await new Promise((onEnd) => {
      startRunner({ command, args: [], env: {}, onOutput: () => undefined, onEnd });
    });
    const { isDone } = await runBackup({ node: command, script: 'svc', env: {} }, '/').outcome;
    console.log(JSON.stringify([code, await readLoginPath('linux', { SHELL: '/bin/sh' }), isDone]));
  `;
    const limited = [
      '-c',
      'ulimit -n 64; exec "$0" --input-type=module --eval "$1"',
      process.execPath,
      script,
    ];
    const { stdout, stderr } = spawnSync('/bin/sh', limited, { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '[null,null,false]\n', stderr: '' });
  },
);
