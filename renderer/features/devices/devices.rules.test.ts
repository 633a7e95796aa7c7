import { expect, it } from 'vitest';
import type { Device } from '#protocol/token.ts';
import { accessOfToken, nameOfDevice, type Order, shownAccess } from './devices.rules.ts';

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
const byMember: Order = { by: 'memberName', isDescending: false };
const labels = (filter: Partial<Parameters<typeof shownAccess>[1]>, order = byMember) =>
  shownAccess(devices.map(accessOfToken), { text: '', use: 'all', ...filter }, order, now).map(
    ({ name }) => name,
  );

it('orders by member, and then by the last use', () => {
  expect(labels({})).toEqual(['run', 'fresh', 'laptop', 'old']);
});

it.each<[Order, string[]]>([
  [{ by: 'name', isDescending: false }, ['fresh', 'laptop', 'old', 'run']],
  [{ by: 'lastUsedAt', isDescending: true }, ['run', 'laptop', 'old', 'fresh']],
  [{ by: 'createdAt', isDescending: true }, ['fresh', 'run', 'laptop', 'old']],
])('orders by %j', (order, expected) => {
  expect(labels({}, order)).toEqual(expected);
});

it.each([
  ['recent', ['run', 'laptop']],
  ['idle', ['old']],
  ['never', ['fresh']],
  ['runs', ['run']],
  ['tokens', ['fresh', 'laptop', 'old']],
  ['sessions', []],
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
