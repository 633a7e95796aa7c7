/** The guard against requests with the name of another host or from a page of another origin. */
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRequest } from '../testing/raw-request.ts';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let team: TestBroker;
let host: string;
beforeAll(async () => {
  team = await startTestBroker();
  host = new URL(team.url).host;
});
afterAll(async () => {
  const logged = team.logged();
  await team.stop();
  // No request made the broker fail.
  expect(logged).not.toMatch(/"level":50/);
});

describe('the Host and Origin guard', () => {
  const status = async (headers: Record<string, string>, path = '/healthz'): Promise<string> => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = await rawRequest(
      team.url,
      `GET ${path} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n`,
    );
    return text.slice(9, 12);
  };

  it('answers loopback names and its own host name', async () => {
    const port = new URL(team.url).port;
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST', hostname(), `${hostname()}.local`]) {
      expect(await status({ Host: `${name}:${port}` }), name).toBe('200');
    }
  });

  it('refuses every other Host with 403, on the stream too', async () => {
    for (const name of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'x@127.0.0.1',
      '',
      '127.0.0.1, evil',
    ]) {
      expect(await status({ Host: name }), name).toBe('403');
    }
    const authorization = `Bearer ${team.token('ben')}`;
    expect(await status({ Host: 'evil.example', Authorization: authorization }, '/subscribe?name=ben')).toBe(
      '403',
    );
  });

  it('answers 400 to two Host headers, whichever of them is its own', async () => {
    const { host } = new URL(team.url);
    for (const hosts of [
      [host, host],
      [host, 'evil.example'],
      ['evil.example', host],
    ]) {
      const lines = hosts.map((name) => `Host: ${name}\r\n`).join('');
      const reply = await rawRequest(team.url, `GET /healthz HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
      expect(reply, hosts.join()).toMatch(/^HTTP\/1\.1 400 /);
      expect(reply).toContain('"repeated_host"');
    }
  });

  it('answers 400 to a missing Host', async () => {
    expect(await status({})).toBe('400');
  });

  it('refuses an Origin that is not its own with 403, `null` included', async () => {
    for (const origin of [
      'http://evil.example',
      'null',
      `https://${host}`,
      `http://${host}.evil.example`,
      'http://127.0.0.1:1',
    ]) {
      expect(await status({ Host: host, Origin: origin }), origin).toBe('403');
    }
    expect(await status({ Host: host, Origin: `http://${host}` })).toBe('200');
  });

  it('sends no CORS headers', async () => {
    const reply = await rawRequest(
      team.url,
      `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(reply).not.toMatch(/access-control/i);
  });
});
