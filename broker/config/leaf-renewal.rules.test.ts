import { expect, test } from 'vitest';
import { renewalReason, renewBeforeMs } from './leaf-renewal.rules.ts';

const now = 1_000_000_000_000;
const later = now + renewBeforeMs;

test('a certificate that holds every name, and long enough, is left as it is', () => {
  expect(renewalReason({ uncovered: [], expiresAt: later }, now)).toBeNull();
});

test('a new name or address of the machine is a reason', () => {
  expect(renewalReason({ uncovered: ['192.168.1.9'], expiresAt: later }, now)).toBe('names');
});

test('its end being near, or past, is a reason', () => {
  expect(renewalReason({ uncovered: [], expiresAt: later - 1 }, now)).toBe('expiry');
  expect(renewalReason({ uncovered: ['a'], expiresAt: now - 1 }, now)).toBe('expiry');
});
