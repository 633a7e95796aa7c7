import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { createOwnHosts, guardRequest } from './request-guard.ts';

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

test('answers to the address of another machine only for connections that arrived there', () => {
  const ask = (host: string, arrival: string | null) => () =>
    guardRequest(
      {
        address: { scheme: 'http', host },
        rawHeaders: ['Host', host],
        origin: undefined,
        protocolVersion: undefined,
        arrival,
      },
      () => false,
    );
  expect(ask('10.0.0.2:8717', '10.0.0.2')).not.toThrow();
  expect(ask('10.0.0.2:8717', null)).toThrow('does not answer to that Host');
  expect(ask('10.0.0.3:8717', '10.0.0.2')).toThrow('does not answer to that Host');
  expect(ask('evil.example', '10.0.0.2')).toThrow('does not answer to that Host');
});
