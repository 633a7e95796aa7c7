import { expect, it } from 'vitest';
import type { Device } from '#protocol/token.ts';
import { nameOfDevice, shownDevices } from './devices.rules.ts';

const now = 1_800_000_000_000;
const day = 86_400_000;
const device = (label: string, over: Partial<Device> = {}): Device =>
  ({
    ...{ id: label, memberName: 'ben', label, origin: 'enroll', createdAt: now - 90 * day, createdBy: 'ada' },
    ...{ lastUsedAt: null, expiresAt: null, isRun: false, isPrimary: false, address: null, ...over },
  }) as Device;
const devices = [
  device('old', { lastUsedAt: now - 40 * day }),
  device('laptop', { lastUsedAt: now - 1000, address: '192.0.2.7' }),
  device('fresh', { createdAt: now - 10 }),
  device('run', { isRun: true, memberName: 'abe' as Device['memberName'], lastUsedAt: now }),
];
const labels = (filter: Partial<Parameters<typeof shownDevices>[1]>) =>
  shownDevices(devices, { text: '', use: 'all', ...filter }, now).map(({ label }) => label);

it('orders by member, and then by the last use', () => {
  expect(labels({})).toEqual(['run', 'fresh', 'laptop', 'old']);
});

it.each([
  ['recent', ['run', 'laptop']],
  ['idle', ['old']],
  ['never', ['fresh']],
  ['runs', ['run']],
] as const)('filters by use: %s', (use, expected) => {
  expect(labels({ use })).toEqual(expected);
});

it.each([
  ['LAP', ['laptop']],
  ['192.0.2', ['laptop']],
  ['abe', ['run']],
  ['nobody', []],
])('finds %s in names, members, and addresses', (text, expected) => {
  expect(labels({ text })).toEqual(expected);
});

it('names a token without a label', () => {
  expect(nameOfDevice({ label: '', isPrimary: true })).toBe('Primary token');
  expect(nameOfDevice({ label: '', isPrimary: false })).toBe('Unnamed device');
  expect(nameOfDevice({ label: 'laptop', isPrimary: true })).toBe('laptop');
});
