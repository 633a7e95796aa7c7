import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { createOwnHosts } from './request-guard.ts';

test('answers to its new address within a second after the machine has moved, and no longer to the old one', () => {
  let address = '10.0.0.7';
  let now = 0;
  const isOwnHost = createOwnHosts(
    () => [],
    () => ({ eth0: [{ address, family: 'IPv4' } as NetworkInterfaceInfo] }),
    () => now,
  );
  expect(isOwnHost('10.0.0.7')).toBe(true);
  address = '10.0.0.9';
  now = 1001;
  expect([isOwnHost('10.0.0.9'), isOwnHost('10.0.0.7'), isOwnHost('localhost')]).toEqual([true, false, true]);
});

test('answers at once to a name that is configured while it runs', () => {
  const configured: string[] = [];
  const isOwnHost = createOwnHosts(() => configured);
  expect(isOwnHost('muster.example')).toBe(false);
  configured.push('Muster.example');
  expect(isOwnHost('muster.example')).toBe(true);
});
