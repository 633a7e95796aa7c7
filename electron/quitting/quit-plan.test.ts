import { expect, test } from 'vitest';
import { createQuitPlan } from './quit-plan.ts';

test('ends the parts in reverse order, and goes on after a part that fails', async () => {
  const order: string[] = [];
  const plan = createQuitPlan();
  const add = (name: string, fails = false) =>
    plan.add(name, async () => {
      order.push(name);
      if (fails) throw new Error(name);
    });
  add('tray');
  add('broker', true);
  add('streams');
  expect(await plan.run()).toEqual({ done: ['streams', 'tray'], failed: ['broker'] });
  expect(order).toEqual(['streams', 'broker', 'tray']);
});

test('names a part that did not end in time, and ends nothing after it, even if it ends later', async () => {
  const plan = createQuitPlan(20);
  const hung = Promise.withResolvers<void>();
  const ended: string[] = [];
  plan.add('tray', () => ended.push('tray'));
  plan.add('broker', () => hung.promise);
  expect(await plan.run()).toEqual({ done: [], failed: ['broker'] });
  hung.resolve();
  await new Promise(setImmediate);
  expect(ended).toEqual([]);
});
