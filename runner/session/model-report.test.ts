import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BrokerError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { ModelReport } from '#protocol/model-refusal.ts';
import { createModelReport } from './model-report.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(answer: () => Promise<void> = async () => undefined) {
  const said: ModelReport[] = [];
  const told: string[] = [];
  const model = createModelReport({
    member: 'ben',
    report(state) {
      said.push(state);
      return answer();
    },
    waiting: () => 2,
    timeOf: () => '14:05',
    tell: (line) => told.push(line),
    log: () => undefined,
  });
  return { model, said, told };
}

it('reports a refusal every 15 seconds until the model answers, and tells the person once each', async () => {
  const { model, said, told } = setUp();
  model.set(null);
  model.set({ cause: 'limit', until: 5 });
  await vi.advanceTimersByTimeAsync(limits.busyHeartbeatMs);
  model.set({ cause: 'limit', until: 9 });
  model.set(null);
  await vi.advanceTimersByTimeAsync(10 * limits.busyHeartbeatMs);
  expect(said).toEqual([
    { state: 'refusing', cause: 'limit', until: 5 },
    { state: 'refusing', cause: 'limit', until: 5 },
    { state: 'refusing', cause: 'limit', until: 9 },
    { state: 'working' },
  ]);
  expect(told).toEqual([
    'the model of ben refuses: limit until 14:05; 2 messages wait and are delivered when it answers',
    'the model of ben answers again',
  ]);
  await model.stop();
});

it('asks an older broker once, and still tells the person', async () => {
  const error = new BrokerError('not_found', 'there is no such path');
  const { model, said, told } = setUp(() => Promise.reject(error));
  model.set({ cause: 'login' });
  await vi.advanceTimersByTimeAsync(3 * limits.busyHeartbeatMs);
  expect(said).toHaveLength(1);
  expect(told).toHaveLength(1);
  await model.stop();
});
