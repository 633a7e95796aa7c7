import { beforeEach, expect, test } from 'vitest';
import { standin } from '../../test/standin/standin.ts';
import { createQuitting } from './quitting.ts';

let said: string[];
beforeEach(() => {
  standin.reset();
  said = [];
});

function create() {
  const quitting = createQuitting({
    exit: (code) => said.push(`exit ${code}`),
    relaunch: (failure) => said.push(`relaunch after ${String(failure)}`),
    log: { error: () => undefined },
  });
  quitting.add('tray', () => said.push('tray gone'));
  return quitting;
}
const install = (): Promise<never> => {
  said.push('install');
  return new Promise(() => undefined);
};

test('quits without installing an update that nobody chose', async () => {
  await create().askToQuit(0);
  expect(said).toEqual(['tray gone', 'exit 0']);
});

test('installs a chosen update after everything has ended, and lets the installer end the process', async () => {
  void create().askToQuit(0, { instead: install });
  await expect.poll(() => said).toEqual(['tray gone', 'install']);
});

test('forgets the update if the person keeps the agents running', async () => {
  const quitting = create();
  await quitting.askToQuit(1, { instead: install });
  expect(standin.said).toEqual(['box An agent is running']);
  expect(quitting.hasBegun).toBe(false);
  await quitting.quit();
  expect(said).toEqual(['tray gone', 'exit 0']);
});

test('starts the app again if the update could not be installed', async () => {
  await create().askToQuit(0, { instead: () => Promise.reject(new Error('no space')) });
  expect(said).toEqual(['tray gone', 'relaunch after Error: no space', 'exit 0']);
});

test('exits with the highest code that was asked for, and ends everything once', async () => {
  const quitting = create();
  await Promise.all([quitting.quit(), quitting.quit({ code: 1 }), quitting.quit()]);
  expect(said).toEqual(['tray gone', 'exit 1']);
});

test('a signal ends the app while the question is still open', async () => {
  const quitting = create();
  const asking = quitting.askToQuit(1);
  await quitting.quit();
  await asking;
  expect(said).toEqual(['tray gone', 'exit 0']);
});
