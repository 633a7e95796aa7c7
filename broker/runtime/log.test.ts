import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';

test.runIf(process.platform === 'linux')('throws nothing if standard error cannot be written', () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const script = `
    import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
    const log = createLog();
    for (let line = 0; line < 100; line++) log.error('x'.repeat(64 * 1024));
    console.log('went on');
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  expect(stdout).toBe('went on\n');
});
