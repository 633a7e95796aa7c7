import { expect, test } from 'vitest';
import {
  authorityRenewal,
  renewAuthorityBeforeMs,
  renewalReason,
  renewBeforeMs,
} from './leaf-renewal.rules.ts';

const now = 1_000_000_000_000;
const later = now + renewBeforeMs;

test('keeps a certificate that has every name and is valid long enough', () => {
  expect(renewalReason({ uncovered: [], expiresAt: later, isUnlimited: false }, now)).toBeNull();
});

test('renews for a new name or address of the machine', () => {
  expect(renewalReason({ uncovered: ['192.168.1.9'], expiresAt: later, isUnlimited: false }, now)).toBe(
    'names',
  );
});

test('renews when the end is near or past', () => {
  expect(renewalReason({ uncovered: [], expiresAt: later - 1, isUnlimited: false }, now)).toBe('expiry');
  expect(renewalReason({ uncovered: ['a'], expiresAt: now - 1, isUnlimited: false }, now)).toBe('expiry');
});

test('renews for an authority without limits', () => {
  expect(renewalReason({ uncovered: [], expiresAt: later, isUnlimited: true }, now)).toBe('limits');
});

test('issues the authority again near its end, without limits, or for a configured name beyond them', () => {
  const state = { isUnlimited: false, beyond: [], expiresAt: now + renewAuthorityBeforeMs };
  expect(authorityRenewal(state, now)).toBeNull();
  expect(authorityRenewal(state, now + 1)).toBe('expiry');
  expect(authorityRenewal({ ...state, isUnlimited: true }, now)).toBe('limits');
  expect(authorityRenewal({ ...state, beyond: ['example.com'] }, now)).toBe('names');
});
