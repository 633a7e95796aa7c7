import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { joinCommand, joinWay } from './join.ts';

const local = { url: 'http://127.0.0.1:8717', fingerprint: null };
const lan = { url: 'https://10.0.0.7:8718', fingerprint: `sha256:${'ab'.repeat(32)}` };

describe('joinWay', () => {
  it('names the address on the network and its fingerprint, never the one of this machine', () => {
    expect(joinWay([local, lan])).toEqual({
      kind: 'open',
      command: `muster connect --url https://10.0.0.7:8718 --fingerprint ${lan.fingerprint}`,
      note: expect.stringContaining('node bin/muster'),
    });
  });

  it.each([
    ['nothing listens', []],
    ['only this machine can reach the broker', [local]],
    ['only this machine can reach the broker by name', [{ ...local, url: 'http://localhost:8717' }]],
    ['only this machine can reach the broker over IPv6', [{ ...local, url: 'http://[::1]:8717' }]],
  ])('names no command but how to open the broker if %s', (_case, listeners) => {
    expect(joinWay(listeners)).toEqual({ kind: 'closed', remedy: expect.stringContaining('LAN access') });
  });

  it('says that the address is of no use yet while the machine has no network address', () => {
    expect(joinWay([local, { ...lan, url: 'https://localhost:8718' }])).toMatchObject({
      command: expect.stringContaining('https://localhost:8718'),
      note: expect.stringContaining('no network address'),
    });
  });

  it('names the address of a proxy with its own certificate if the broker itself is not open', () => {
    expect(joinWay([local], 'https://muster.example')).toMatchObject({
      command: 'muster connect --url https://muster.example',
    });
    expect(joinWay([local], 'http://127.0.0.1:8717')).toMatchObject({ kind: 'closed' });
  });

  it('says that plain HTTP is not protected where the operator opened it', () => {
    expect(joinWay([{ url: 'http://10.0.0.7:8717', fingerprint: null }])).toMatchObject({
      command: 'muster connect --url http://10.0.0.7:8717 --insecure-http',
    });
  });
});

it('stands in the guide for teams as it is printed', () => {
  const guide = new URL('../../docs/guides/teams-on-the-lan.md', import.meta.url);
  const command = joinCommand({ url: 'https://<address>:8718', fingerprint: 'sha256:<...>' });
  expect(readFileSync(guide, 'utf8').split('\n')).toContain(command);
});

it.each(['https://a$(id).example', 'https://a`id`', 'https://a;id', 'https://a&calc', "https://a'b"])(
  'names no address whose host a shell would read as more than a word: %s',
  (address) => {
    const origin = new URL(address).origin;
    expect(joinWay([], origin).kind).toBe('closed');
    expect(joinWay([{ url: 'https://[fd00::1]:8717', fingerprint: null }], origin)).toMatchObject({
      command: 'muster connect --url https://[fd00::1]:8717',
    });
  },
);
