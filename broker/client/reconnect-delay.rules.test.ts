import { expect, it } from 'vitest';
import { reconnectDelay } from './reconnect-delay.rules.ts';

it('doubles the delay from the third failure on, and never lets a broker that is back wait for more than five seconds', () => {
  const delays = [0, 1, 2, 3, 4, 10, 2000].map((failures) =>
    reconnectDelay({ retryMs: 1000, failures, retryAfterMs: 0 }, 0),
  );
  expect(delays).toEqual([1000, 1000, 1000, 2000, 3300, 3300, 3300]);
  expect(reconnectDelay({ retryMs: 1000, failures: 10, retryAfterMs: 0 }, 0.999)).toBeLessThan(5000);
});

it('waits as long as a refusal asks for, an hour at most', () => {
  const asked = (retryAfterMs: number) => reconnectDelay({ retryMs: 1000, failures: 0, retryAfterMs }, 0);
  expect([asked(20_000), asked(1e12)]).toEqual([20_000, 3_600_000]);
});
