import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownHttpsAddresses } from '../../broker/config/https-addresses.ts';
import { freePort } from '../../broker/testing/free-port.ts';
import { createHome, type Home } from '../testing/command.ts';
import { clientOf, writeTeam } from '../testing/team-file.ts';

let home: Home;
beforeEach(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'));
});
afterEach(() => home.remove());

const codeIn = (text: string): string => /Code: (\S+)/.exec(text)?.[1] ?? '';

/** A broker on plain loopback and on HTTPS with the certificates of `muster setup --https`. */
async function serveHttps(env?: Record<string, string>) {
  // Some come back at the same address, because the system assigns this port to nobody in the meantime.
  const httpsPort = String(await freePort());
  const made = JSON.parse((await home.run(['setup', '--https', '--https-port', httpsPort, '--json'])).stdout);
  const broker = await home.serve([], env);
  await broker.shows('listening on https://');
  const port = new URL(/listening on (https:\S+)\n/.exec(broker.stdout())?.[1] ?? '').port;
  return {
    broker,
    plain: broker.url,
    url: `https://127.0.0.1:${port}`,
    fingerprint: String(made.fingerprint),
  };
}

describe('muster connect', () => {
  it('joins a device through code and approval over HTTPS with a pinned certificate', async () => {
    const { plain, url, fingerprint } = await serveHttps();
    const device = home.start(['connect', '--url', url, '--fingerprint', fingerprint, '--label', 'laptop']);
    await device.shows('enroll approve');
    const operator = { SVC_URL: plain, SVC_TOKEN: 'svc_token-of-ada' };
    const code = codeIn(device.stdout());
    expect((await home.run(['enroll', 'pending'], { env: operator })).stdout).toMatch(
      new RegExp(`${code} +laptop +muster/\\d+\\.\\d+\\.\\d+ \\(${process.platform}\\) +127\\.0\\.0\\.1 `),
    );
    const approved = await home.run(['enroll', 'approve', code.toLowerCase(), '--member', 'ben'], {
      env: operator,
    });
    expect(approved).toMatchObject({
      code: 0,
      stdout: 'approved for ben; the device now receives its token\n',
    });
    expect(await device.ended).toMatchObject({ code: 0 });
    expect(device.stdout()).toContain(`Connected to ${url} as ben (Builder)`);

    const cache = home.path('config/svc/auth.json');
    expect((await stat(cache)).mode & 0o777).toBe(0o600);
    const { entries } = JSON.parse(await readFile(cache, 'utf8'));
    const further = ownHttpsAddresses({ host: undefined, port: Number(new URL(url).port) });
    expect(entries).toEqual([
      {
        url,
        token: expect.stringMatching(/^svc_[\w-]{43}$/),
        savedAt: expect.any(Number),
        ...(further.length > 0 && { addresses: further }),
      },
    ]);
    expect(device.stdout() + device.stderr() + approved.stdout).not.toContain(entries[0].token);

    expect((await home.run(['push', 'over tls', '--to', 'ada'])).stdout).toMatch(/^delivered to ada/);
    const { messages } = await clientOf(plain, 'ada').call('history', { query: { with: 'ben' } });
    expect(messages[0]).toMatchObject({ from: 'ben', body: 'over tls' });
    const { stdout } = await home.run(['doctor']);
    expect(stdout).toContain('ok    live stream: connected');
  });

  it('saves the addresses of the team, which chat replaces when the broker has others', async () => {
    const { plain, url, fingerprint } = await serveHttps();
    const cache = home.path('config/svc/auth.json');
    const saved = async () => JSON.parse(await readFile(cache, 'utf8')).entries[0];
    const further = ownHttpsAddresses({ host: undefined, port: Number(new URL(url).port) });
    const device = home.start(['connect', '--url', url, '--fingerprint', fingerprint]);
    await device.shows('enroll approve');
    await home.run(['enroll', 'approve', codeIn(device.stdout()), '--member', 'ben'], {
      env: { SVC_URL: plain, SVC_TOKEN: 'svc_token-of-ada' },
    });
    expect(await device.ended).toMatchObject({ code: 0 });
    const before = await saved();
    expect(before.addresses ?? []).toEqual(further);
    const entries = [{ ...before, addresses: ['https://127.0.0.2:1'] }];
    await writeFile(cache, JSON.stringify({ schema: 1, entries }));
    const chat = home.start(['chat', '--json']);
    await expect.poll(async () => (await saved()).addresses ?? []).toEqual(further);
    chat.child.kill('SIGTERM');
    await chat.ended;
    expect(await saved()).toEqual(before);
  });

  it('tells the operator the command for other machines, at the start and while no device is waiting', async () => {
    const { broker, plain, fingerprint } = await serveHttps();
    const operator = { SVC_URL: plain, SVC_TOKEN: 'svc_token-of-ada' };
    await broker.shows('node bin/muster', 'stderr');
    const secure = /listening on (https:\S+)\n/.exec(broker.stdout())?.[1];
    const command = `muster connect --url ${secure} --fingerprint ${fingerprint}`;
    expect(broker.stderr()).toContain(`to join: ${command}\n`);
    expect((await home.run(['enroll', 'pending'], { env: operator })).stdout).toContain(command);
  });

  it('tells the operator how to open a broker that no other machine can reach', async () => {
    const { url } = await home.serve();
    const operator = { SVC_URL: url, SVC_TOKEN: 'svc_token-of-ada' };
    const { stdout } = await home.run(['enroll', 'pending'], { env: operator });
    expect(stdout).toContain('muster setup --https');
    expect(stdout).not.toContain('muster connect');
  });

  it('refuses a broker that shows a key other than the pinned one, and sends nothing to it', async () => {
    const { broker, url, fingerprint } = await serveHttps();
    const wrong = `sha256:${'0'.repeat(64)}`;
    const refused = await home.run(['connect', '--url', url, '--fingerprint', wrong]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('another key') });
    await expect(stat(home.path('config/svc/pins.json'))).rejects.toThrow();

    const device = home.start(['connect', '--url', url, '--fingerprint', fingerprint]);
    await device.shows('enroll approve');
    device.child.kill('SIGTERM');
    await device.ended;
    broker.child.kill('SIGTERM');
    await broker.ended;
    await rm(home.path('tls/server.key'));
    const port = new URL(url).port;
    await home.run(['setup', '--https', '--https-port', port]);
    const other = await home.serve();
    await other.shows('listening on https://');
    const changed = await home.run(['push', 'secret'], {
      env: { SVC_URL: url, SVC_TOKEN: 'svc_token-of-ada' },
    });
    expect(changed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('somebody may intercept the connection'),
    });
  });

  it('keeps the pin when the certificate is renewed with the same key', async () => {
    const { url, fingerprint } = await serveHttps();
    const renewed = JSON.parse(
      (await home.run(['setup', '--https', '--https-port', new URL(url).port, '--json'])).stdout,
    );
    expect(renewed).toMatchObject({ fingerprint, keptKey: true });
  });

  it('continues by itself after the certificate was renewed', async () => {
    const onDisk = { SVC_DB_PATH: home.path('main.db') };
    const { broker, plain, url, fingerprint } = await serveHttps(onDisk);
    const device = home.start(['connect', '--url', url, '--fingerprint', fingerprint]);
    await device.shows('enroll approve');
    const operator = { SVC_URL: plain, SVC_TOKEN: 'svc_token-of-ada' };
    await home.run(['enroll', 'approve', codeIn(device.stdout()), '--member', 'ben'], { env: operator });
    expect(await device.ended).toMatchObject({ code: 0 });
    broker.child.kill('SIGTERM');
    await broker.ended;
    const before = await readFile(home.path('tls/server.crt'), 'utf8');
    await home.run(['setup', '--https', '--https-port', new URL(url).port]);
    expect(await readFile(home.path('tls/server.crt'), 'utf8')).not.toBe(before);
    const other = await home.serve([], onDisk);
    await other.shows('listening on https://');
    expect(await home.run(['roster'])).toMatchObject({ code: 0, stdout: expect.stringContaining('ada') });
  });

  it('shows the key and sends nothing without a terminal and without --fingerprint', async () => {
    const { plain, url, fingerprint } = await serveHttps();
    const asked = await home.run(['connect', '--url', url]);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining(`--fingerprint ${fingerprint}`) });
    const pending = await home.run(['enroll', 'pending', '--json'], {
      env: { SVC_URL: plain, SVC_TOKEN: 'svc_token-of-ada' },
    });
    expect(JSON.parse(pending.stdout)).toEqual({ enrollments: [] });
  });

  it('prints the reason when the operator rejects the device', async () => {
    const { url } = await home.serve();
    const device = home.start(['connect', '--url', url]);
    await device.shows('enroll approve');
    const operator = { SVC_URL: url, SVC_TOKEN: 'svc_token-of-ada' };
    await home.run(['enroll', 'reject', codeIn(device.stdout()), '--reason', 'who are you?'], {
      env: operator,
    });
    expect(await device.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('rejected this device: who are you?'),
    });
    const history = await home.run(['enroll', 'history'], { env: operator });
    expect(history.stdout).toMatch(/rejected.*ada.*who are you\?/);
  });
});
