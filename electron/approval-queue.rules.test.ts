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

test('the window takes input 700 ms after it came to the front, not before', () => {
  expect([isArmed(100, 100), isArmed(100, 799), isArmed(100, 800)]).toEqual([false, false, true]);
});

test('the oldest code is first, and says how many wait', () => {
  expect(approvalView(three, null, 0)).toMatchObject({ userCode: 'AAAA-AAAA', position: '1 of 3' });
});

test('the code on show stays while it waits, whoever else comes', () => {
  expect(approvalView(three, 'BBBB-BBBB', 0)).toMatchObject({ userCode: 'BBBB-BBBB', position: '2 of 3' });
});

test('an expired code is not offered, and with none left the window closes', () => {
  expect(approvalView([device('AAAA-AAAA', 5), device('BBBB-BBBB')], 'AAAA-AAAA', 5)?.userCode).toBe(
    'BBBB-BBBB',
  );
  expect(approvalView(three, 'AAAA-AAAA', 1000)).toBeNull();
});

test('only codes that were not there before open the window', () => {
  expect(newCodes(three.slice(0, 2), three)).toEqual(['CCCC-CCCC']);
});
