/** The same as `npm run chaos`, for a short time. */
import { expect, it } from 'vitest';
import { isExact } from './chaos-report.ts';
import { faultKinds, runChaos } from './chaos-run.ts';

it('loses and doubles nothing on three machines that are killed, suspended, stopped, cut off, and full, with a database that crashes', {
  timeout: 300_000,
}, async () => {
  const said: string[] = [];
  const report = await runChaos({
    seconds: 60,
    count: null,
    machines: 3,
    kinds: faultKinds,
    seed: 7,
    say: (line) => said.push(line),
  });
  expect(isExact(report), JSON.stringify({ report, said })).toBe(true);
  expect(report.acknowledged).toBeGreaterThan(100);
  expect(Object.values(report.faults).reduce((sum, count) => sum + count)).toBeGreaterThan(3);
});

it('lets no older version take over what a newer one wrote, until it is updated', {
  timeout: 300_000,
}, async () => {
  const said: string[] = [];
  const report = await runChaos({
    seconds: 60,
    count: 1,
    machines: 3,
    kinds: ['update'],
    seed: 7,
    say: (line) => said.push(line),
  });
  expect(isExact(report), JSON.stringify({ report, said })).toBe(true);
  expect(report.faults.update).toBe(1);
});
