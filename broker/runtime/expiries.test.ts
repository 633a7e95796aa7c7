import { afterEach, beforeEach, expect, it } from 'vitest';
import { createExpiries, type Expiries } from './expiries.ts';

let now = 0;
let expiries: Expiries;
const expired: string[] = [];
beforeEach(() => {
  now = 0;
  expired.length = 0;
  expiries = createExpiries(() => now);
});
afterEach(() => expiries.stop());

const at = (id: string, time: number | null) => expiries.set(id, time, () => void expired.push(id));

it('reports each expiry once, within a second of its time, whatever was added, postponed, or removed in the meantime', async () => {
  at('a', 100);
  at('b', 200);
  at('never', 150);
  at('never', null);
  at('put off', 100);
  at('put off', 300);
  at('gone', 100);
  expiries.delete('gone');
  now = 250;
  await expect.poll(() => expired).toEqual(['a', 'b']);
  now = 300;
  await expect.poll(() => expired).toEqual(['a', 'b', 'put off']);
});
