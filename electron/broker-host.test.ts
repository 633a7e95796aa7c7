import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createBrokerHost } from './broker-host.ts';

async function hostThat(more: Partial<Parameters<typeof createBrokerHost>[0]> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-host-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const host = createBrokerHost({
    options: { configPath: join(folder, 'svc.json'), env: {}, log: pino({ level: 'silent' }) },
    prepare: async () => ({ keychain: null }),
    listen: { port: 0 },
    version: '1.0.0',
    onLost: () => undefined,
    onState: () => undefined,
    onNotice: () => undefined,
    ...more,
  });
  onTestFinished(() => host.stop());
  return host;
}

test('answers a request that is under way while the broker stops', async () => {
  const host = await hostThat();
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

test('prepares again for each start, and does not start after the end', async () => {
  let prepared = 0;
  const host = await hostThat({
    async prepare() {
      prepared += 1;
      if (prepared === 1) throw new Error('not yet');
      return { keychain: null };
    },
  });
  await host.start();
  expect(host.state).toEqual({ kind: 'failed', reason: 'not yet' });
  await host.start();
  expect(host.state.kind).toBe('running');
  await host.stop();
  await host.start();
  expect(host.state).toEqual({ kind: 'stopped' });
  expect(prepared).toBe(2);
});

test('a start that is pressed twice is one start, and an end during a start closes what it opened', async () => {
  let prepared = 0;
  const preparing = Promise.withResolvers<void>();
  const host = await hostThat({
    async prepare() {
      prepared += 1;
      preparing.resolve();
      return { keychain: null };
    },
  });
  const starts = [host.start(), host.start()];
  await preparing.promise;
  // The broker is opening its stores.
  await setImmediate();
  await host.stop();
  await Promise.all(starts);
  expect(prepared).toBe(1);
  expect(host.state).toEqual({ kind: 'stopped' });
});

test('ends at once while the keychain does not answer, and opens nothing afterwards', async () => {
  const answer = Promise.withResolvers<{ keychain: null }>();
  const states: string[] = [];
  const host = await hostThat({
    prepare: () => answer.promise,
    onState: () => void states.push(host.state.kind),
  });
  const starting = host.start();
  await host.stop();
  answer.resolve({ keychain: null });
  await starting;
  expect(states).toEqual(['starting', 'stopped']);
});

test('starts again after a start that fails while it is asked to', async () => {
  const first = Promise.withResolvers<{ keychain: null }>();
  let prepared = 0;
  const host = await hostThat({
    prepare() {
      prepared += 1;
      return prepared === 1 ? first.promise : Promise.resolve({ keychain: null });
    },
  });
  const starting = host.start();
  const again = host.startAgain();
  first.reject(new Error('not yet'));
  await Promise.all([starting, again]);
  expect(host.state.kind).toBe('running');
  await host.startAgain();
  expect(prepared).toBe(2);
});
