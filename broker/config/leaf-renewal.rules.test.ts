import { expect, test } from 'vitest';
import { renewalReason, renewBeforeMs } from './leaf-renewal.rules.ts';

const now = 1_000_000_000_000;
const later = now + renewBeforeMs;

test('keeps a certificate that has every name and is valid long enough', () => {
  expect(renewalReason({ uncovered: [], expiresAt: later }, now)).toBeNull();
});

test('renews for a new name or address of the machine', () => {
  expect(renewalReason({ uncovered: ['192.168.1.9'], expiresAt: later }, now)).toBe('names');
});

test('renews when the end is near or past', () => {
  expect(renewalReason({ uncovered: [], expiresAt: later - 1 }, now)).toBe('expiry');
  expect(renewalReason({ uncovered: ['a'], expiresAt: now - 1 }, now)).toBe('expiry');
});
