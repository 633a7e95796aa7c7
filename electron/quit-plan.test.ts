import { expect, test } from 'vitest';
import { runQuitPlan } from './quit-plan.ts';

test('steps run in order, and one that fails does not keep the next from running', async () => {
  const order: string[] = [];
  const step = (name: string, fails = false) => ({
    name,
    async run() {
      order.push(name);
      if (fails) throw new Error(name);
    },
  });
  expect(await runQuitPlan([step('streams'), step('broker', true), step('tray')])).toEqual({
    done: ['streams', 'tray'],
    failed: ['broker'],
  });
  expect(order).toEqual(['streams', 'broker', 'tray']);
});

test('a step that never ends is named when the time is over, and nothing after it begins', async () => {
  const hung = { name: 'broker', run: () => new Promise(() => undefined) };
  const begun: string[] = [];
  const report = await runQuitPlan([hung, { name: 'tray', run: () => begun.push('tray') }], 20);
  expect(report).toEqual({ done: [], failed: ['broker'] });
  expect(begun).toEqual([]);
});
