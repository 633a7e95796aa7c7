import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';
import { contentSecurityPolicy } from './console-files.ts';

let folder = '';
let team: TestBroker;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-docs-'));
  await mkdir(join(folder, 'docs/guides'), { recursive: true });
  await mkdir(join(folder, 'docs/assets'));
  await writeFile(join(folder, 'secret.txt'), 'secret');
  for (const [name, text] of Object.entries({
    'index.html': '<h1>home</h1>',
    'guides/index.html': '<h1>guides</h1>',
    'llms.txt': '# Muster',
    'assets/app.abc.js': 'export {}',
  }))
    await writeFile(join(folder, 'docs', name), text);
  team = await startTestBroker({ members: { ada: ['admin'] }, docsFolder: join(folder, 'docs') });
});
afterAll(async () => {
  await team?.stop();
  await rm(folder, { recursive: true });
});

/** Sends the path as it is; `fetch` would resolve its dots. */
const statusOf = (path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(team.url);
    request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

describe('the documentation', () => {
  it.each([
    { path: '/docs/', text: '<h1>home</h1>', type: 'text/html; charset=utf-8' },
    { path: '/docs/guides/?q=1', text: '<h1>guides</h1>', type: 'text/html; charset=utf-8' },
    { path: '/docs/llms.txt', text: '# Muster', type: 'text/plain; charset=utf-8' },
    { path: '/docs', text: '<h1>home</h1>', type: 'text/html; charset=utf-8' },
  ])('is served without a login and with the strict policy: $path', async ({ path, text, type }) => {
    const reply = await team.fetch(null, path);
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe(text);
    expect(reply.headers.get('content-type')).toBe(type);
    expect(reply.headers.get('content-security-policy')).toBe(contentSecurityPolicy);
    expect(reply.headers.get('x-frame-options')).toBe('DENY');
    expect(reply.headers.get('cache-control')).toBe('no-cache');
  });

  it('lets browsers keep what has a hash in its name', async () => {
    const reply = await team.fetch(null, '/docs/assets/app.abc.js');
    expect(reply.headers.get('cache-control')).toContain('immutable');
  });

  it.each([
    '/docs/missing.html',
    '/docs/guides',
    '/docs/../secret.txt',
    '/docs/%2e%2e/secret.txt',
    '/docs/..%2fsecret.txt',
    '/docs//secret.txt',
    '/docsecret.txt',
  ])('answers 404 for everything else: %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  it('is unknown to a broker whose documentation was not built', async () => {
    const other = await startTestBroker({
      members: { ada: ['admin'] },
      docsFolder: join(folder, 'absent'),
    });
    try {
      for (const path of ['/docs', '/docs/', '/docs/llms.txt']) {
        const reply = await other.fetch(null, path);
        expect(reply.status).toBe(404);
        expect(await reply.json()).toMatchObject({ error: 'not_found', reason: 'unknown_path' });
      }
    } finally {
      await other.stop();
    }
  });
});
