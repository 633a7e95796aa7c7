import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { notHere } from '../refusal.ts';
import { isBackupDue } from './backup-schedule.rules.ts';
import { createBackups } from './backups.ts';
import { runBackup } from './run-backup.ts';

const dayMs = 86_400_000;
const log = { info: () => undefined, warn: () => undefined };

/** `script` stands for the program of `svc`: it gets `backup --to <folder>` as arguments. */
async function start(script: string, clock = { now: 1_800_000_000_000 }, isStandingBy = () => false) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-backups-'));
  await writeFile(join(folder, 'svc.mjs'), script);
  const open = () =>
    createBackups({
      path: join(folder, 'plan.json'),
      run: (to) => runBackup({ node: process.execPath, script: join(folder, 'svc.mjs'), env: {} }, to),
      obstacle: () => (isStandingBy() ? notHere({ kind: 'standingBy', url: '' }) : null),
      now: () => clock.now,
      log,
      lookMs: 5,
    });
  const backups = await open();
  onTestFinished(async () => {
    await backups.stop();
    await rm(folder, { recursive: true });
  });
  return { backups, clock, open };
}

const done = 'console.log(process.argv.slice(2).join(" "))';

test('need a folder', async () => {
  const { backups } = await start(done);
  expect(() => backups.backUp()).toThrow('choose a folder');
  await expect(backups.setDaily(true)).rejects.toThrow('choose a folder');
});

test('run once a day, and keep their outcome over a restart', async () => {
  const { backups, clock, open } = await start(done);
  await backups.setFolder('/backups');
  await backups.setDaily(true);
  await expect
    .poll(() => backups.view().last)
    .toEqual({ endedAt: clock.now, isDone: true, text: 'backup --to /backups' });
  clock.now += dayMs;
  await expect.poll(() => backups.view().last?.endedAt).toBe(clock.now);
  // The view is ahead of the file.
  await backups.stop();
  const again = await open();
  expect(again.view()).toMatchObject({ folder: '/backups', isDaily: true, last: { endedAt: clock.now } });
  await again.stop();
});

test('are made neither now nor daily while the machine stands by, because its stores are half copied at any time', async () => {
  let asked = 0;
  const { backups } = await start(done, undefined, () => {
    asked += 1;
    return true;
  });
  await backups.setFolder('/backups');
  expect(() => backups.backUp()).toThrow('this machine stands by; do this on the machine that is active');
  await backups.setDaily(true);
  const before = asked;
  await expect.poll(() => asked).toBeGreaterThan(before + 1);
  expect(backups.view()).toMatchObject({ isRunning: false, last: null });
});

test('say why one failed', async () => {
  const { backups } = await start('console.error("muster: there is not enough space"); process.exitCode = 1');
  await backups.setFolder('/backups');
  backups.backUp();
  expect(() => backups.backUp()).toThrow('a backup is running');
  await expect
    .poll(() => backups.view())
    .toMatchObject({ isRunning: false, last: { isDone: false, text: 'there is not enough space' } });
});

test('were made, and are due a day later, also if the command found a fault', async () => {
  const { backups, clock } = await start(
    'console.log("backed up to /backups/1: 5 messages"); console.error("missing: 1 file content"); process.exitCode = 1',
  );
  await backups.setFolder('/backups');
  backups.backUp();
  const last = {
    endedAt: clock.now,
    isDone: true,
    text: 'backed up to /backups/1: 5 messages',
    fault: 'missing: 1 file content',
  };
  await expect.poll(() => backups.view().last).toEqual(last);
  expect(isBackupDue(last, clock.now + dayMs - 1)).toBe(false);
});

test('end with the app', async () => {
  const { backups } = await start('setInterval(() => {}, 1000)');
  await backups.setFolder('/backups');
  backups.backUp();
  await backups.stop();
  expect(backups.view()).toMatchObject({
    isRunning: false,
    last: { isDone: false, text: 'the backup was stopped' },
  });
});
