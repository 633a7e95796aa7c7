import { beforeEach, expect, test, vi } from 'vitest';
import { standin } from '../test/standin/standin.ts';
import { createCrashDialog } from './crash-dialog.ts';

beforeEach(() => standin.reset());

function crashing(relaunch: () => void) {
  const said: string[] = [];
  const onError = createCrashDialog({
    reports: { write: () => null } as never,
    logPath: 'desktop.log',
    log: { fatal: (_details, message) => void said.push(message) },
    quitting: {
      hasBegun: false,
      quit: async (way) => void said.push(`quit ${way?.code}`),
    },
    relaunch,
  });
  return { onError, said };
}

test('ends the app even if it cannot be started again', async () => {
  const { onError, said } = crashing(() => {
    throw new Error('no such program');
  });
  standin.answers.push(0);
  onError(new Error('first'));
  await expect.poll(() => said).toContain('quit 1');
  expect(said).toEqual(['the app failed', 'the app could not be started again', 'quit 1']);
});

test('asks once, and reports every error', async () => {
  const relaunch = vi.fn();
  const { onError, said } = crashing(relaunch);
  standin.answers.push(0);
  onError(new Error('first'));
  onError(new Error('second'));
  await expect.poll(() => said).toContain('quit 1');
  expect(standin.said).toEqual(['box Muster encountered an unexpected error.']);
  expect(said.filter((line) => line === 'the app failed')).toHaveLength(2);
  expect(relaunch).toHaveBeenCalledOnce();
});
