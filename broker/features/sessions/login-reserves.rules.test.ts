import { expect, it } from 'vitest';
import { sourceKey } from '../../http/rate-limit.ts';
import { reservesOf } from './login-reserves.rules.ts';

const keysOf = (address: string, more: object = {}) =>
  reservesOf({
    named: 'ada',
    device: null,
    bearer: null,
    address,
    source: sourceKey(address),
    network: sourceKey(address, 48),
    ...more,
  }).map(({ key, days }) => [key, ...days.map(({ limit }) => limit)].join(' '));
const strangerWithName = (source: string) => [`${source} perNetwork all`, `${source} perNetwork perName`];

it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
  expect(keysOf(address)).toEqual(['loopback']);
});

it.each([
  ['192.0.2.7', 'source 192.0.2.7'],
  ['::ffff:192.0.2.7', 'source 192.0.2.7'],
  ['::ffff:c000:207', 'source 0:0:0:0::/64'],
  ['::2', 'source 0:0:0:0::/64'],
  ['127.0.0.1.example', 'source 127.0.0.1.example'],
  ['1127.0.0.1', 'source 1127.0.0.1'],
])('%s is a stranger', (address, key) => {
  expect(keysOf(address)).toEqual(strangerWithName(key));
});

it('a device and a bearer vouch for the named member only', () => {
  const device = { member: 'ada', id: 'x' };
  const own = { device, bearer: 'ada' };
  expect(keysOf('192.0.2.7', own)).toEqual([
    'device x',
    'bearer ada',
    ...strangerWithName('source 192.0.2.7'),
  ]);
  expect(keysOf('192.0.2.7', { ...own, named: 'ben' })).toEqual(strangerWithName('source 192.0.2.7'));
  expect(keysOf('192.0.2.7', { ...own, named: null })).toEqual(['source 192.0.2.7 all unnamed']);
});
