import { expect, it } from 'vitest';
import { createSerialQueue } from './serial-queue.ts';

it('a queue runs one piece of work at a time, in the order of the calls', async () => {
  const inTurn = createSerialQueue();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = inTurn(async () => {
    log.push('first starts');
    await first.promise;
    log.push('first ends');
  });
  const two = inTurn(() => log.push('second'));
  await Promise.resolve();
  expect(log).toEqual(['first starts']);
  first.resolve();
  await Promise.all([one, two]);
  expect(log).toEqual(['first starts', 'first ends', 'second']);
});

it('work that fails rejects its own call only', async () => {
  const inTurn = createSerialQueue();
  const failed = inTurn(() => Promise.reject(new Error('no')));
  const next = inTurn(() => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});
