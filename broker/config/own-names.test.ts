import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { ownNames, urlHost } from './own-names.ts';

const at = (address: string, internal = false): NetworkInterfaceInfo =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

test('lists network addresses, the machine’s names, and configured names, each once', () => {
  const names = ownNames(['muster.example', '[fd00::7]', '10.0.0.7'], {
    lo: [at('127.0.0.1', true)],
    eth0: [at('10.0.0.7'), at('fe80::1'), at('fd00::2')],
  });
  expect(names.addresses).toEqual(['10.0.0.7', 'fd00::2']);
  expect(names.network).toEqual([
    '10.0.0.7',
    'fd00::2',
    expect.stringMatching(/^[^.]+.*\.local$/),
    'muster.example',
    'fd00::7',
  ]);
  expect(names.all).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '::1']));
  expect(new Set(names.all).size).toBe(names.all.length);
});

test('leaves out a name that no certificate can hold, and keeps the others', () => {
  expect(ownNames(['mün.example', 'a*b', 'plain.example'], {}).network.slice(1)).toEqual(['plain.example']);
});

test('brackets an IPv6 address in a URL', () => {
  expect([urlHost('fd00::2'), urlHost('10.0.0.7')]).toEqual(['[fd00::2]', '10.0.0.7']);
});
