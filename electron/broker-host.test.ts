import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createBrokerHost } from './broker-host.ts';

test('answers a request that is under way while the broker stops', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-host-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const host = createBrokerHost({
    options: { configPath: join(folder, 'svc.json'), env: {}, log: pino({ level: 'silent' }) },
    listen: { port: 0 },
    onState: () => undefined,
    onNotice: () => undefined,
  });
  await host.start();
  const headers = { host: '127.0.0.1' };
  const replying = host.request({ method: 'GET', url: '/healthz', headers });
  const stopping = host.stop();
  // Admitted before the end, or refused with a sentence.
  expect([200, 503]).toContain((await replying).status);
  await stopping;
  expect(host.state).toEqual({ kind: 'stopped' });
  await expect(host.request({ method: 'GET', url: '/healthz', headers })).rejects.toThrow('is not running');
});
