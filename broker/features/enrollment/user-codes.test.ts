import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openForTest } from '../../storage/testing/test-store.ts';
import type { EnrollmentUnits } from './enrollment.sqlite.ts';

const thread = new URL('../../store-thread.ts', import.meta.url);

it('makes a user code unique among waiting devices, and free again afterwards', async () => {
  const { units } = await openForTest<EnrollmentUnits>({
    store: 'main',
    file: ':memory:',
    threadModule: thread,
  });
  const open = (userCodes: string[], createdAt: number) =>
    units.openEnrollment({
      maxWaiting: 1000,
      id: randomUUID(),
      deviceHash: randomUUID(),
      userCodes,
      labelHint: null,
      sourceIp: '127.0.0.1',
      userAgent: null,
      createdAt,
      expiresAt: createdAt + 1000,
      intervalMs: 5000,
    });
  expect(await open(['BBBB-BBBB', 'CCCC-CCCC'], 0)).toBe('BBBB-BBBB');
  expect(await open(['BBBB-BBBB', 'CCCC-CCCC'], 1)).toBe('CCCC-CCCC');
  await expect(open(['BBBB-BBBB', 'CCCC-CCCC'], 2)).rejects.toMatchObject({ code: 'unavailable' });
  const audit = {
    at: 3,
    kind: 'device_rejected',
    via: 'request',
    member: 'ada',
    credential: null,
    address: null,
    subject: 'BBBB-BBBB',
    before: null,
    after: null,
  } as const;
  await units.rejectEnrollment({ userCode: 'BBBB-BBBB', now: 3, by: 'ada', reason: null, audit });
  expect(await open(['BBBB-BBBB'], 4)).toBe('BBBB-BBBB');
  // The newest device with a code is the one that is meant.
  const found = await units.enrollmentByCode({ userCode: 'BBBB-BBBB' });
  expect(found).toMatchObject({ status: 'pending' });
  expect(await open(['CCCC-CCCC'], 1001)).toBe('CCCC-CCCC');
});
