import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { maxAddresses } from '#protocol/further-address.ts';
import { ownHttpsAddresses, teamHttpsAddresses } from './https-addresses.ts';

const at = (address: string, internal = false): NetworkInterfaceInfo =>
  ({ address, internal }) as NetworkInterfaceInfo;
const interfaces = {
  lo: [at('127.0.0.1', true), at('::1', true)],
  eth0: [at('10.0.0.1'), at('fd00::1'), at('fe80::1')],
};
const none = { hosts: [], port: 8718 };

describe('the addresses of a machine', () => {
  it('are those of its network interfaces if it listens on all of them', () => {
    const expected = ['https://10.0.0.1:8718', 'https://[fd00::1]:8718'];
    for (const host of [undefined, '0.0.0.0', '::'])
      expect(ownHttpsAddresses({ host, port: 8718 }, interfaces)).toEqual(expected);
  });

  it('are the one at which it listens otherwise, and none if that is loopback', () => {
    expect(ownHttpsAddresses({ host: 'Box.lan', port: 443 }, interfaces)).toEqual(['https://box.lan']);
    for (const host of ['127.0.0.1', '127.0.0.9', '::1', 'localhost', '::ffff:127.0.0.1'])
      expect(ownHttpsAddresses({ host, port: 8718 }, interfaces)).toEqual([]);
  });

  it('are four at most', () => {
    const many = { eth0: Array.from({ length: 9 }, (_, n) => at(`10.0.0.${n}`)) };
    expect(ownHttpsAddresses({ host: undefined, port: 8718 }, many)).toHaveLength(4);
  });
});

describe('the addresses of a team', () => {
  it('begin with the active broker, and end with the configured names', () => {
    const own = ['https://10.0.0.1:8718'];
    const machines = ['https://10.0.0.2:8718', 'https://10.0.0.1:8718'];
    expect(
      teamHttpsAddresses(own, machines, { hosts: ['team.example.com', '10.0.0.2'], port: 8718 }),
    ).toEqual(['https://10.0.0.1:8718', 'https://10.0.0.2:8718', 'https://team.example.com:8718']);
  });

  it('do not have a configured name if other machines cannot reach the broker', () => {
    expect(teamHttpsAddresses([], [], { hosts: ['team.example.com'], port: 8718 })).toEqual([]);
  });

  it.each([
    'http://10.0.0.3:8718',
    'https://10.0.0.3:8718/path',
    'https://user:password@10.0.0.3:8718',
    'https://127.0.0.1:8718',
    'https://[::]:8718',
    'javascript:alert(1)',
    `https://${'a'.repeat(300)}:8718`,
    '',
  ])('do not have %j, whatever the database says', (address) => {
    expect(teamHttpsAddresses([], [address], none)).toEqual([]);
  });

  it('are 16 at most', () => {
    const machines = Array.from({ length: 64 }, (_, n) => `https://10.0.1.${n}:8718`);
    expect(teamHttpsAddresses(['https://10.0.0.1:8718'], machines, none)).toHaveLength(maxAddresses);
  });
});
