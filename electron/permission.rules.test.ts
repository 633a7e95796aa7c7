import { expect, test } from 'vitest';
import { isGranted } from './permission.rules.ts';

const page = { isMainFrame: true, requestingUrl: 'muster://console/app/settings' };

test('lets the console write to the clipboard', () => {
  expect(isGranted('clipboard-sanitized-write', page)).toBe(true);
});

test.each([
  ['a frame', { isMainFrame: false }],
  ['another address', { requestingUrl: 'https://a.example/' }],
])('does not let %s do so', (_what, change) => {
  expect(isGranted('clipboard-sanitized-write', { ...page, ...change })).toBe(false);
  expect(isGranted('clipboard-sanitized-write', { isMainFrame: true })).toBe(false);
});

test.each([
  'clipboard-read',
  'media',
  'geolocation',
  'notifications',
  'hid',
  'usb',
  'openExternal',
  'fileSystem',
  'unknown',
])('denies %s even to the console', (permission) => {
  expect(isGranted(permission, page)).toBe(false);
});
