import { expect, it } from 'vitest';
import { createBoundedWarnings } from './bounded-warnings.ts';
import { createLog } from './log.ts';

it('logs as many warnings of one message in a minute as allowed, and then says how many it left out', () => {
  let now = 1_000_000;
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line: string) => void lines.push(line) } });
  const warn = createBoundedWarnings(log, () => now, 2);
  for (let n = 0; n < 5; n++) warn({ n }, 'too fast');
  warn({}, 'something else');
  const logged = () => lines.splice(0).map((line) => JSON.parse(line));
  expect(logged()).toMatchObject([{ n: 0 }, { n: 1 }, { msg: 'something else' }]);
  now += 60_000;
  for (let n = 5; n < 8; n++) warn({ n }, 'too fast');
  expect(logged()).toMatchObject([{ n: 5, leftOut: 3 }, { n: 6 }]);
  now -= 3_600_000;
  warn({ n: 8 }, 'too fast');
  expect(logged()).toMatchObject([{ n: 8, leftOut: 1 }]);
});
