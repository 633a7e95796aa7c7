import { readdir, readlink, rm } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasHiddenSign } from '#protocol/hidden-signs.ts';
import { rawRequest } from '../../testing/raw-request.ts';
import { addressOf, type FileTeam, startFileTeam } from './testing/file-team.ts';

let team: FileTeam;
beforeAll(async () => {
  team = await startFileTeam({ maxFileSize: 64 * 1024 * 1024, members: { ada: ['admin'], ben: [] } });
  await team.write('ben', '/ben/ten', '0123456789', { mime: 'text/plain' });
});
afterAll(() => team.stop());

describe('GET /fs/read/<path>', () => {
  it('returns the bytes with their type, length, and hash, to be shown only in a sandbox', async () => {
    const { entry } = await team.write('ben', '/ben/page.html', '<script>', { mime: 'text/html' });
    const reply = await team.get('ben', '/ben/page.html');
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': '8',
      etag: `"${entry.hash}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
      'x-content-type-options': 'nosniff',
      'x-svc-protocol': '1',
    });
    expect(await reply.text()).toBe('<script>');
  });

  it.each([
    ['image/png', 'inline'],
    ['IMAGE/JPEG', 'inline'],
    ['image/gif', 'inline'],
    ['image/webp', 'inline'],
    ['image/avif', 'inline'],
    ['text/plain; charset=utf-8', 'inline'],
    ['application/json', 'inline'],
    ['image/svg+xml', 'attachment'],
    ['text/html', 'attachment'],
    ['application/xhtml+xml', 'attachment'],
    ['application/pdf', 'attachment'],
    ['text/markdown', 'attachment'],
    ['application/json-seq', 'attachment'],
    ['application/octet-stream', 'attachment'],
  ])('is %s: %s', async (mime, disposition) => {
    await team.write('ben', '/ben/shown', 'x', { mime, collide: 'overwrite' });
    const reply = await team.get('ben', '/ben/shown');
    expect(reply.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
    await reply.text();
  });

  it.each(['a"b;c.txt', "it's (1)*.txt", 'ünï 🦊 %41.txt', '../../x', 'عنوان.exe', 'a%2fb', '?#&=+ x'])(
    'names the file %j without letting it into the header',
    async (written) => {
      const name = written.replaceAll('/', '_');
      await team.write('ben', `/ben/names/${name}`, 'x');
      const reply = await team.get('ben', `/ben/names/${name}`);
      expect(reply.status).toBe(200);
      const header = reply.headers.get('content-disposition') ?? '';
      const match = /^inline; filename="([A-Za-z0-9 ._-]+)"; filename\*=UTF-8''([A-Za-z0-9.!~_%-]+)$/.exec(
        header,
      );
      expect(decodeURIComponent(match?.[2] ?? '')).toBe(name);
      await reply.text();
    },
  );

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=0-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=1-2,4-5', 200, '0123456789', null],
    ['nonsense', 200, '0123456789', null],
  ])('answers Range %s with %d', async (range, status, body, contentRange) => {
    const reply = await team.get('ben', '/ben/ten', { range });
    expect([reply.status, await reply.text(), reply.headers.get('content-range')]).toEqual([
      status,
      body,
      contentRange,
    ]);
    expect(reply.headers.get('content-length')).toBe(String(body.length));
  });

  it('answers a range after the end with 416 and the size', async () => {
    const reply = await team.get('ben', '/ben/ten', { range: 'bytes=10-' });
    expect([reply.status, reply.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    expect(await reply.json()).toMatchObject({ error: 'bad_request' });
  });

  it('applies a range only to the version that If-Range names', async () => {
    const etag = (await team.get('ben', '/ben/ten')).headers.get('etag') ?? '';
    expect((await team.get('ben', '/ben/ten', { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await team.get('ben', '/ben/ten', { range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(200);
  });

  it('answers If-None-Match with 304 until the content changes', async () => {
    await team.write('ben', '/ben/cached', 'one');
    const etag = (await team.get('ben', '/ben/cached')).headers.get('etag') ?? '';
    const same = await team.get('ben', '/ben/cached', { 'if-none-match': etag });
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag]);
    await team.write('ben', '/ben/cached', 'two', { collide: 'overwrite' });
    expect(await (await team.get('ben', '/ben/cached', { 'if-none-match': etag })).text()).toBe('two');
  });

  it.each([
    ['a directory', '/fs/read/ben', 400],
    ['the root', '/fs/read/', 400],
    ['a missing file', '/fs/read/ben/none', 404],
    ['an encoded slash inside a segment', '/fs/read/ben%2Ften', 400],
    ['an encoded slash, in small letters', '/fs/read/ben/x%2fy', 400],
    ['an encoded backslash', '/fs/read/ben/x%5Cy', 400],
    ['an encoded NUL', '/fs/read/ben/x%00', 400],
    ['.. in the address', '/fs/read/ben/../ada/x', 400],
    ['an encoded ..', '/fs/read/ben/%2e%2e/ada/x', 400],
    ['a half-encoded ..', '/fs/read/ben/.%2E/ada/x', 400],
    ['two slashes', '/fs/read//ben/ten', 400],
    ['bytes that are not UTF-8', '/fs/read/ben/%ff%fe', 400],
    ['an overlong encoding of a slash', '/fs/read/ben%c0%afx', 400],
    ['a broken escape', '/fs/read/ben/%zz', 400],
    ['normal form D', '/fs/read/ben/c%CC%A7', 400],
    ['a full-width slash, which is no separator', '/fs/read/ben%EF%BC%8Ften', 403],
    ['its trailing slash dropped', '/fs/read/ben/ten/', 200],
    ['a query', '/fs/read/ben/ten?x=/../y', 200],
  ])('answers %s', async (_, address, status) => {
    const host = new URL(team.url).host;
    const answer = await rawRequest(
      team.url,
      `GET ${address} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${team.token('ben')}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('returns what was written, whatever the name; every other name is its own', async () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .map((name) => name.normalize('NFC').replace(/[/\\\p{Cc}]/gu, '_'))
      .filter(
        (name) =>
          name.isWellFormed() &&
          name !== '.' &&
          name !== '..' &&
          Buffer.byteLength(name) <= 255 &&
          !hasHiddenSign(name),
      );
    await fc.assert(
      fc.asyncProperty(segment, segment, async (directory, name) => {
        const path = `/ben/any/${directory}/${name}`;
        const { entry } = await team.write('ben', path, path, { collide: 'overwrite' });
        expect(entry.path).toBe(path);
        expect(await (await team.get('ben', path)).text()).toBe(path);
        expect((await team.ask('ben', 'rm', '/ben/any', { recursive: 'true' })).status).toBe(204);
      }),
      { numRuns: 60 },
    );
  });

  it('never fails, whatever the address contains', async () => {
    const piece = fc.constantFrom(
      '/',
      '%2f',
      '..',
      '%2e',
      'ben',
      'ten',
      '%00',
      '%',
      '%c3',
      '%a9',
      '\\',
      ';',
      '?',
      'é',
    );
    const host = new URL(team.url).host;
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const answer = await rawRequest(
          team.url,
          `GET /fs/read/${pieces.join('')} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${team.token('ben')}\r\nConnection: close\r\n\r\n`,
        );
        expect(answer).toMatch(/^HTTP\/1.1 (?:200|400|403|404) /);
      }),
      { numRuns: 150 },
    );
  });

  it('stops reading and closes its file when the client goes away', async () => {
    const { entry } = await team.write('ben', '/ben/large', new Uint8Array(48 * 1024 * 1024));
    const isOpen = async (): Promise<boolean> => {
      const links = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      );
      return links.some((target) => target.endsWith(entry.hash ?? 'none'));
    };
    const headers = { authorization: `Bearer ${team.token('ben')}` };
    const call = httpGet(team.url + addressOf('/ben/large'), { headers, agent: false });
    call.on('error', () => undefined);
    await new Promise<void>((resolve) => call.on('response', (response) => response.pause() && resolve()));
    await expect.poll(() => isOpen()).toBe(true);
    call.destroy();
    await expect.poll(() => isOpen()).toBe(false);
  });

  it('says so if the content is missing or incomplete, and never sends a part as if it were everything', async () => {
    const { entry } = await team.write('ben', '/ben/lost', 'to be lost');
    const hash = entry.hash ?? '';
    await rm(join(team.filesRoot, hash.slice(0, 2), hash));
    const reply = await team.get('ben', '/ben/lost');
    expect([reply.status, await reply.json()]).toMatchObject([503, { error: 'unavailable' }]);
    expect(team.logged()).toContain('the content of a file is missing');
    // The same content, written again, is there again.
    await team.write('ben', '/ben/lost', 'to be lost', { collide: 'overwrite' });
    expect(await (await team.get('ben', '/ben/lost')).text()).toBe('to be lost');
  });
});
