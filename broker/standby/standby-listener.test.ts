import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { listenStandingBy } from './standby-listener.ts';

it('a machine that stands by says so at the address of its configuration, and that another one must be asked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-standby-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const configPath = join(folder, 'svc.json');
  await writeFile(configPath, JSON.stringify({ listen: { port } }));
  const listener = await listenStandingBy('1.2.3', configPath, {});
  onTestFinished(() => listener.close());
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
  const health = await ask('/healthz?now');
  expect(health.status).toBe(200);
  expect(await health.json()).toEqual({ status: 'standby', version: '1.2.3' });
  for (const [path, method] of [
    ['/readyz', 'GET'],
    ['/push', 'POST'],
    ['/app', 'GET'],
  ] as const) {
    const refused = await ask(path, method);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ error: 'unavailable', reason: 'standing_by' });
  }
});
