import { expect, it } from 'vitest';
import { nextUpdateState, type UpdateEvent, type UpdateState, updateItem } from './updates.rules.ts';

const after = (events: UpdateEvent[], from: UpdateState = { kind: 'idle' }): UpdateState =>
  events.reduce(nextUpdateState, from);

it('has no item without a feed, whatever happens', () => {
  expect(updateItem(after([{ kind: 'check' }], { kind: 'absent' }))).toBeNull();
});

it('downloads an update by itself, then waits for a restart', () => {
  const found: UpdateEvent[] = [{ kind: 'check' }, { kind: 'available', version: '2.0.0' }];
  expect(updateItem(after(found))).toEqual({ label: 'Downloading version 2.0.0… 0%', isEnabled: false });
  expect(updateItem(after([...found, { kind: 'progress', percent: 41.6 }]))).toEqual({
    label: 'Downloading version 2.0.0… 42%',
    isEnabled: false,
  });
  const ready = after([...found, { kind: 'loaded', version: '2.0.0' }]);
  expect(updateItem(ready)).toEqual({ label: 'Restart to update to 2.0.0', isEnabled: true });
  expect(after([{ kind: 'check' }, { kind: 'error', reason: 'no network' }], ready)).toEqual(ready);
});

it('offers to check again after a failure', () => {
  expect(updateItem(after([{ kind: 'check' }, { kind: 'error', reason: 'no network' }]))).toMatchObject({
    isEnabled: true,
  });
});

it('ignores progress that arrives late', () => {
  expect(
    after([{ kind: 'check' }, { kind: 'none', version: '1.0.0' }, { kind: 'progress', percent: 5 }]),
  ).toEqual({ kind: 'current', version: '1.0.0' });
});
