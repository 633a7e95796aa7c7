import { expect, test } from 'vitest';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { approvalView, isArmed, newCodes } from './approval-queue.rules.ts';

const device = (userCode: string, expiresAt = 1000): PendingEnrollment => ({
  userCode,
  labelHint: null,
  sourceIp: null,
  userAgent: null,
  createdAt: 0,
  expiresAt,
});
const three = [device('AAAA-AAAA'), device('BBBB-BBBB'), device('CCCC-CCCC')];

test('accepts input from 700 ms after the window came to the front', () => {
  expect([isArmed(100, 100), isArmed(100, 799), isArmed(100, 800)]).toEqual([false, false, true]);
});

test('shows the oldest code first, with the number of waiting codes', () => {
  expect(approvalView(three, null, 0)).toMatchObject({ userCode: 'AAAA-AAAA', position: '1 of 3' });
});

test('keeps the shown code while it is waiting, even if others arrive', () => {
  expect(approvalView(three, 'BBBB-BBBB', 0)).toMatchObject({ userCode: 'BBBB-BBBB', position: '2 of 3' });
});

test('does not offer an expired code, and closes the window if none is left', () => {
  expect(approvalView([device('AAAA-AAAA', 5), device('BBBB-BBBB')], 'AAAA-AAAA', 5)?.userCode).toBe(
    'BBBB-BBBB',
  );
  expect(approvalView(three, 'AAAA-AAAA', 1000)).toBeNull();
});

test('opens the window only for codes that are new', () => {
  expect(newCodes(three.slice(0, 2), three)).toEqual(['CCCC-CCCC']);
});
