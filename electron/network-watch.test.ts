import type { networkInterfaces } from 'node:os';
import { expect, test, vi } from 'vitest';
import { watchNetwork } from './network-watch.ts';

type Interfaces = ReturnType<typeof networkInterfaces>;
const at = (...addresses: string[]): Interfaces => ({
  eth0: addresses.map((address) => ({
    address,
    netmask: '255.255.255.0',
    family: 'IPv4',
    mac: '00:00:00:00:00:00',
    internal: address.startsWith('127.'),
    cidr: null,
  })),
});

test('reports a changed network address once, but not another order or an address that only this machine can reach', () => {
  vi.useFakeTimers();
  let now = at('10.0.0.2', '10.0.0.3');
  let told = 0;
  const end = watchNetwork({ interfaces: () => now, intervalMs: 1000, onChange: () => (told += 1) });
  const afterChange = (next: Interfaces): number => {
    now = next;
    vi.advanceTimersByTime(3000);
    return told;
  };
  try {
    expect(afterChange(at('10.0.0.3', '10.0.0.2', '127.0.0.1'))).toBe(0);
    expect(afterChange(at('192.168.1.7'))).toBe(1);
    expect(afterChange({})).toBe(2);
    end();
    expect(afterChange(at('10.0.0.2'))).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
