import { expect, test } from 'vitest';
import { isConsoleUrl, isTrustedSender, navigationOf } from './console-origin.rules.ts';
import { consoleRequestOf } from './console-request.rules.ts';

test.each([
  'http://console/',
  'muster://console.evil/',
  'muster://evil@console/',
  'muster://console:80/',
  'mustery://console/',
  'file:///etc/passwd',
  '',
])('does not take %j for the console', (address) => {
  expect(isConsoleUrl(address)).toBe(false);
});

test('accepts bridge calls only from the main frame of an own window that shows the console', () => {
  const trusted = { isOwnWindow: true, isMainFrame: true, url: 'muster://console/app' };
  expect(isTrustedSender(trusted)).toBe(true);
  for (const change of [
    { isOwnWindow: false },
    { isMainFrame: false },
    { url: null },
    { url: 'https://a.example/' },
  ])
    expect(isTrustedSender({ ...trusted, ...change })).toBe(false);
});

test('keeps a window in the console, asks before opening an https host, and refuses everything else', () => {
  expect(navigationOf('muster://console/app/files')).toEqual({ kind: 'stay' });
  expect(navigationOf('https://example.org/a')).toMatchObject({ kind: 'ask', host: 'example.org' });
  for (const address of [
    'http://example.org',
    'javascript:alert(1)',
    'file:///etc',
    'https://u:p@example.org',
    'smb://x',
  ])
    expect(navigationOf(address)).toEqual({ kind: 'refuse' });
});

test('serves pages, built files, and the bytes of team files', () => {
  const kind = (method: string, path: string) =>
    consoleRequestOf(method, `muster://console${path}`)?.kind ?? null;
  expect([kind('GET', '/'), kind('GET', '/app/devices?code=A'), kind('GET', '/assets/a.js')]).toEqual([
    'page',
    'page',
    'built',
  ]);
  expect([kind('GET', '/try-again'), kind('POST', '/try-again')]).toEqual(['retry', null]);
  expect([kind('GET', '/fs/read/ada/a.txt'), kind('POST', '/fs/write?path=/a')]).toEqual(['bytes', null]);
  for (const [method, path] of [
    ['GET', '/roster'],
    ['POST', '/app'],
    ['DELETE', '/fs/read/ada/a.txt'],
    ['GET', '/assets/%2e%2e/secret'],
    ['GET', '/assets/..%2fsecret'],
    ['GET', '/app/%5c..%5csecret'],
    ['GET', '/fs/read/../../roster'],
  ] as const)
    expect(kind(method, path), `${method} ${path}`).toBeNull();
});
