import { expect, it } from 'vitest';
import type { PushSubscriptionInfo } from '#protocol/web-push.ts';
import { conditionsOf, type HealthFacts, storageConditions } from './needs-attention.rules.ts';

const store = (name: string) => ({ name, isOnDisk: true, bytes: 1, queued: 0, lastCommitAt: null });
const quiet = {
  diagnostics: { stores: [store('main'), store('activity')], eventLoopDelay: { p50: 1, p99: 2, max: 3 } },
  lowDisks: undefined,
  logins: { total: 4, windowMs: 900_000, sources: [{ address: '10.0.0.7', count: 4 }] },
  subscriptions: [],
  cuts: [],
  backup: null,
} as unknown as HealthFacts;
const subscription = (id: string, lastSuccessAt: number | null, lastFailureAt: number | null) =>
  ({
    id,
    host: 'push.example',
    device: 'Firefox',
    lastSuccessAt,
    lastFailureAt,
  }) as unknown as PushSubscriptionInfo;
const found = (facts: Partial<HealthFacts>) => conditionsOf({ ...quiet, ...facts });

it('has nothing if everything is as it should be, and four people mistyped a code', () => {
  expect(conditionsOf(quiet)).toEqual([]);
});

it('tells of a disk that is nearly full what makes room on it', () => {
  const [main, activity] = found({
    lowDisks: [
      { store: 'main', freeBytes: 200e6, floorBytes: 128e6 },
      { store: 'activity', freeBytes: 200e6, floorBytes: 128e6 },
    ],
  });
  expect(main).toMatchObject({
    sentence: expect.stringMatching(/^The disk of the main store has 200.MB left\. Below 128.MB,/),
    mend: { kind: 'place', place: 'backup' },
  });
  expect(activity?.mend).toMatchObject({ text: 'muster prune-activity --older-than 30d' });
});

it('tells of notifications only if the last one was not taken', () => {
  const subscriptions = [
    subscription('never tried', null, null),
    subscription('works again', 2, 1),
    subscription('fails', 1, 2),
    subscription('never worked', null, 1),
  ];
  expect(found({ subscriptions }).map(({ key }) => key)).toEqual(['push fails', 'push never worked']);
});

it('tells of a backup of the app if the last one failed or there was none, unless this machine stands by', () => {
  const backup = (last: { isDone: boolean; fault?: string } | null, isElsewhere = false) => ({
    ...{ isDaily: true, isElsewhere },
    last: last && { ...last, endedAt: 1, text: 'the disk is full' },
  });
  expect(found({ backup: backup({ isDone: true }) })).toEqual([]);
  expect(found({ backup: backup({ isDone: false }) })).toMatchObject([
    { sentence: 'The last backup failed: the disk is full', mend: { place: 'backup' } },
  ]);
  expect(found({ backup: backup({ isDone: true, fault: 'a content is missing' }) })).toMatchObject([
    { sentence: 'The last backup was made, but has a fault: a content is missing' },
  ]);
  expect(found({ backup: backup(null) })).toMatchObject([
    { sentence: 'This app has made no backup yet.', mend: { place: 'backup' } },
  ]);
  expect(found({ backup: backup(null, true) })).toEqual([]);
});

it('has for Backup what may be lost, in the same words, and nothing else', () => {
  const diagnostics = {
    ...quiet.diagnostics,
    stores: [{ ...store('main'), isOnDisk: false }, store('activity')],
    clock: { messagesAheadMs: 7_200_000, jumpedMs: 0 },
  };
  const facts = { ...quiet, diagnostics };
  const [memory, ...others] = storageConditions(facts);
  expect(memory?.sentence).toMatch(/^The main store is in memory: everything there is lost/);
  expect(memory?.mend).toEqual({ kind: 'command', text: 'muster serve --db main.db' });
  expect(others).toEqual([]);
  expect(conditionsOf(facts)).toContainEqual(memory);
});

it('names damage before a clock that is wrong, a long queue, and failed logins', () => {
  const diagnostics = {
    ...quiet.diagnostics,
    stores: [
      { ...store('main'), damage: 'page 4' },
      { ...store('activity'), queued: 1000 },
    ],
    clock: { messagesAheadMs: 7_200_000, jumpedMs: 0 },
  };
  const logins = { total: 5, windowMs: 900_000, sources: [{ address: '10.0.0.7', count: 5, lastAt: 1 }] };
  const conditions = found({ diagnostics, logins });
  expect(conditions.map(({ key }) => key)).toEqual(['damage main', 'clock', 'load', 'logins']);
  expect(conditions[1]?.sentence).toContain('2 hours ahead of the clock');
});
