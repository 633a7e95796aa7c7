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
])('of %s a person is asked about %s', (url, host) => {
  expect(hostToAskAbout(url, [null])).toBe(host);
});

test('a host is asked about until a run with it is among the recent ones; another port is another host', () => {
  const known = [null, 'https://models.example/v1'];
  expect(hostToAskAbout('https://models.example/v2', known)).toBeNull();
  expect(hostToAskAbout('https://models.example:8443/', known)).toBe('models.example:8443');
});
