import { describe, expect, it } from 'vitest';
import { connectionPolicy } from './connection-policy.ts';

describe('the policy for connections', () => {
  it('exempts loopback and nothing else by default', () => {
    const { isExempt } = connectionPolicy(undefined, null);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      expect(isExempt(address)).toBe(true);
    for (const address of ['192.168.0.1', 'fe80::1', '::ffff:10.0.0.1', '', 'no address'])
      expect(isExempt(address)).toBe(false);
  });

  it('exempts trusted proxies and the sources that the configuration names', () => {
    const { isExempt } = connectionPolicy(
      {
        trustedProxies: ['10.0.0.5', 'fd00::/8'],
        unlimitedSources: ['192.168.7.0/24'],
      },
      null,
    );
    for (const address of ['10.0.0.5', 'fd00::7', '192.168.7.200']) expect(isExempt(address)).toBe(true);
    for (const address of ['10.0.0.6', '127.0.0.1', '192.168.8.1']) expect(isExempt(address)).toBe(false);
  });

  it('takes a range of everything', () => {
    const { isExempt } = connectionPolicy({ trustedProxies: ['0.0.0.0/0', '::/0'] }, null);
    for (const address of ['192.0.2.1', '1.2.3.4', '2001:db8::1', '::ffff:1.2.3.4'])
      expect(isExempt(address)).toBe(true);
  });

  it('never reserves more than half of a small number of connections', () => {
    expect(connectionPolicy({ maxConnections: 10 }, null).caps).toMatchObject({ all: 10, reserved: 5 });
  });
});
