import { expect, test } from 'vitest';
import { hostToAskAbout } from './model-address.rules.ts';

test.each([
  [null, null],
  ['http://127.0.0.1:8080/v1', null],
  ['http://localhost:8080/v1', null],
  ['http://[::1]:8080/', null],
  ['https://models.example/v1', 'models.example'],
  ['https://127.0.0.1.example/', '127.0.0.1.example'],
  ['https://localhost.example/', 'localhost.example'],
])('for %s, the app asks about %s', (url, host) => {
  expect(hostToAskAbout(url, [null])).toBe(host);
});

test('asks about a host until it is used by a recent run, and treats another port as another host', () => {
  const known = [null, 'https://models.example/v1'];
  expect(hostToAskAbout('https://models.example/v2', known)).toBeNull();
  expect(hostToAskAbout('https://models.example:8443/', known)).toBe('models.example:8443');
});
