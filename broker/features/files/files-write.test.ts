import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

const maxFileSize = 300_000;
let team: FileTeam;
beforeAll(async () => {
  team = await startFileTeam({ maxFileSize, members: { ada: ['admin'], ben: [], cy: [] } });
});
afterAll(() => team.stop());

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = async (reply: Promise<Response>) => (await reply).text();
const statusOf = async (reply: Promise<Response>) => {
  const { status } = await reply;
  return status;
};

/** An upload over a connection of the agent's, whose body the test sends itself. */
function upload(path: string, headers: Record<string, string | number> = {}, agent?: Agent): ClientRequest {
  return request(`${team.url}/fs/write?path=${path}`, {
    method: 'POST',
    agent: agent ?? false,
    headers: { authorization: `Bearer ${team.token('ben')}`, ...headers },
  });
}
const replyTo = async (call: ClientRequest): Promise<{ status: number; body: string; port: number }> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve).on('error', reject);
  });
  const port = response.socket.localPort ?? 0;
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return { status: response.statusCode ?? 0, body, port };
};

describe('POST /fs/write', () => {
  it('returns {entry, renamed} with every field of the entry', async () => {
    const before = Date.now();
    const { entry, renamed } = await team.write('ben', '/ben/notes/plan.md', 'plan', {
      mime: 'text/markdown',
    });
    expect(renamed).toBe(false);
    expect(entry).toEqual({
      path: '/ben/notes/plan.md',
      name: 'plan.md',
      kind: 'file',
      owner: 'ben',
      size: 4,
      mimeType: 'text/markdown',
      hash: sha256('plan'),
      createdAt: expect.any(Number),
      createdBy: 'ben',
      updatedAt: entry.createdAt,
    });
    expect(entry.createdAt).toBeGreaterThanOrEqual(before);
    expect(await (await team.ask('ben', 'stat', '/ben/notes/plan.md')).json()).toEqual({ entry });
  });

  it.each([
    ['application/json', '{"a":1}'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['image/png', '\u0089PNG'],
  ])('accepts a body of type %s as it is, and uses the type as the default of mime', async (type, body) => {
    const reply = await team.put(
      'ben',
      '/ben/typed',
      body,
      { collide: 'overwrite' },
      { 'content-type': type },
    );
    expect(reply.status).toBe(200);
    const read = await team.get('ben', '/ben/typed');
    expect(read.headers.get('content-type')).toBe(type);
    expect(await read.text()).toBe(body);
  });

  it('accepts bytes without a content type, and an empty body', async () => {
    const { entry } = await team.write('ben', '/ben/untyped', new Uint8Array([0, 255, 10]));
    expect(entry).toMatchObject({ size: 3, mimeType: 'application/octet-stream' });
    expect(await (await team.get('ben', '/ben/untyped')).bytes()).toEqual(new Uint8Array([0, 255, 10]));
    const call = upload('/ben/nothing', { 'content-length': 0 });
    call.end();
    expect((await replyTo(call)).status).toBe(200);
    const read = await team.get('ben', '/ben/nothing');
    expect([read.status, read.headers.get('content-length'), await read.text()]).toEqual([200, '0', '']);
  });

  it('says what to send instead of a content type that is not one', async () => {
    for (const type of ['markdown', '']) {
      const reply = await team.fetch('ben', '/fs/write?path=/ben/x', {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': type },
      });
      expect([reply.status, await reply.json()]).toEqual([
        415,
        {
          error: 'bad_request',
          reason: 'invalid_content_type',
          message: 'the content type is not a MIME type such as text/plain',
        },
      ]);
    }
  });

  it('leaves all other routes JSON only', async () => {
    const headers = { 'content-type': 'text/plain' };
    const reply = await team.fetch('ben', '/fs/mkdir', {
      method: 'POST',
      body: '{"path":"/ben/x"}',
      headers,
    });
    expect(reply.status).toBe(415);
  });

  it('creates missing parents, which outlive the file', async () => {
    await team.write('ben', '/ben/a/b/c.txt', 'x');
    expect(await statusOf(team.ask('ben', 'rm', '/ben/a/b/c.txt'))).toBe(204);
    expect(await team.names('ben', '/ben/a/b')).toEqual([]);
  });

  it.each([
    ['no path', '', 400],
    ['a path given twice', 'path=/ben/x&path=/ben/y', 400],
    ['a relative path', 'path=x', 400],
    ['a path with ..', 'path=/ben/../ada/x', 400],
    ['an encoded ..', 'path=/ben/%2e%2e/ada/x', 400],
    ['an unknown strategy', 'path=/ben/x&collide=replace', 400],
    ['a broken MIME type', 'path=/ben/x&mime=text', 400],
    ['the root', 'path=/', 403],
    ['its own home as a file', 'path=/ben', 400],
    ['another member’s home', 'path=/cy/x', 403],
    ['a home that does not exist', 'path=/zoe/x', 403],
  ])('refuses %s', async (_, query, status) => {
    const before = await team.blobs();
    const reply = await team.fetch('ben', `/fs/write?${query}`, { method: 'POST', body: randomBytes(20) });
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: expect.any(String), message: expect.any(String) });
    expect(await team.blobs()).toEqual(before);
  });

  it('needs members.manage outside one’s home; the home’s member owns the file, and createdBy names the writer', async () => {
    const { entry } = await team.write('ada', '/cy/from-ada.txt', 'x');
    expect(entry).toMatchObject({ owner: 'cy', createdBy: 'ada' });
    expect(await text(team.get('cy', '/cy/from-ada.txt'))).toBe('x');
    expect(await statusOf(team.put('ada', '/zoe/x', 'x'))).toBe(404);
    expect(await statusOf(team.put('ada', '/x', 'x'))).toBe(400);
  });

  it('answers 409 below a file', async () => {
    await team.write('ben', '/ben/flat', 'x');
    expect(await statusOf(team.put('ben', '/ben/flat/x', 'x'))).toBe(409);
  });
});

describe('the collision strategy', () => {
  it('is error by default: 409, and the file stays as it was', async () => {
    await team.write('ben', '/ben/kept.txt', 'first');
    expect(await statusOf(team.put('ben', '/ben/kept.txt', 'second'))).toBe(409);
    expect(await text(team.get('ben', '/ben/kept.txt'))).toBe('first');
  });

  it('overwrite replaces content and type, keeps who created it and when, and purges the old content', async () => {
    const first = await team.write('ben', '/ben/over.txt', 'the old content', { mime: 'text/plain' });
    const { entry, renamed } = await team.write('ben', '/ben/over.txt', '{}', {
      mime: 'application/json',
      collide: 'overwrite',
    });
    expect(renamed).toBe(false);
    expect(entry).toMatchObject({ mimeType: 'application/json', createdAt: first.entry.createdAt });
    expect(await text(team.get('ben', '/ben/over.txt'))).toBe('{}');
    expect(await team.blobs()).not.toContain(first.entry.hash);
  });

  it('suffix renames foo.txt to foo-1.txt, then foo-2.txt; `renamed` reports it', async () => {
    const all = [];
    for (let n = 0; n < 3; n++)
      all.push(await team.write('ben', '/ben/foo.txt', `${n}`, { collide: 'suffix' }));
    expect(all.map(({ entry, renamed }) => [entry.path, renamed])).toEqual([
      ['/ben/foo.txt', false],
      ['/ben/foo-1.txt', true],
      ['/ben/foo-2.txt', true],
    ]);
    expect(await text(team.get('ben', '/ben/foo-2.txt'))).toBe('2');
  });

  it('never replaces a directory: overwrite is 409, and suffix goes beside it', async () => {
    await team.post('ben', 'mkdir', { path: '/ben/dir.d' });
    expect(await statusOf(team.put('ben', '/ben/dir.d', 'x', { collide: 'overwrite' }))).toBe(409);
    const { entry } = await team.write('ben', '/ben/dir.d', 'x', { collide: 'suffix' });
    expect(entry.path).toBe('/ben/dir-1.d');
  });

  it('suffix answers 409 if no name can hold it', async () => {
    const path = `/ben/${'x'.repeat(254)}`;
    await team.write('ben', path, 'x');
    expect(await statusOf(team.put('ben', path, 'y', { collide: 'suffix' }))).toBe(409);
  });

  it('gives the name to one of many writers at once; with suffix, each gets one of its own', async () => {
    const at = (collide: string) =>
      Promise.all(
        Array.from({ length: 12 }, (_, n) => team.put('ben', `/ben/race-${collide}`, `${n}`, { collide })),
      );
    const statuses = (await at('error')).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(11).fill(409)]);
    const written = await Promise.all(
      (await at('suffix')).map(async (reply) => (await reply.json()) as { entry: { path: string } }),
    );
    expect(new Set(written.map(({ entry }) => entry.path)).size).toBe(12);
    expect((await at('overwrite')).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await text(team.get('ben', '/ben/race-overwrite'))).toMatch(/^\d+$/);
  });
});

describe('files.maxFileSize', () => {
  it('is the largest accepted size', async () => {
    const { entry } = await team.write('ben', '/ben/largest', new Uint8Array(maxFileSize));
    expect(entry.size).toBe(maxFileSize);
  });

  it.each([
    ['said beforehand', { 'content-length': maxFileSize + 1 }],
    ['not said beforehand', { 'transfer-encoding': 'chunked' }],
  ])('above it, %s, answers 413 without a trace, and the connection stays usable', async (_, headers) => {
    const before = await team.blobs();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const large = upload('/ben/too/large', headers, agent);
    large.end(Buffer.alloc(maxFileSize + 1));
    const refused = await replyTo(large);
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.body)).toMatchObject({ error: 'payload_too_large' });
    const small = upload('/ben/small-enough&collide=overwrite', {}, agent);
    small.end('x');
    expect(await replyTo(small)).toMatchObject({ status: 200, port: refused.port });
    expect(await statusOf(team.ask('ben', 'stat', '/ben/too'))).toBe(404);
    expect(await team.incoming()).toEqual([]);
    expect((await team.blobs()).length - before.length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['403', '/cy/x'],
    ['409', '/ben/largest'],
    ['400', '/ben/..'],
  ])('is not the reason why a %s closes the connection', async (status, path) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const refusedCall = upload(path, { 'transfer-encoding': 'chunked' }, agent);
    refusedCall.end(Buffer.alloc(maxFileSize));
    const refused = await replyTo(refusedCall);
    expect(refused.status).toBe(Number(status));
    const small = upload(`/ben/after-${status}`, {}, agent);
    small.end('x');
    expect(await replyTo(small)).toMatchObject({ status: 200, port: refused.port });
  });
});

describe('an upload', () => {
  it('shows nothing before it is complete, and leaves no trace when it is aborted', async () => {
    const before = await team.blobs();
    const call = upload('/ben/new/broken', { 'content-length': 5000 });
    call.on('error', () => undefined);
    call.write(Buffer.alloc(2000));
    await expect.poll(() => team.incoming()).toHaveLength(1);
    expect(await statusOf(team.ask('ben', 'stat', '/ben/new'))).toBe(404);
    call.destroy();
    await expect.poll(() => team.incoming()).toEqual([]);
    expect(await statusOf(team.ask('ben', 'stat', '/ben/new'))).toBe(404);
    expect(await team.blobs()).toEqual(before);
  });

  it('does not keep others from writing and reading while it continues', async () => {
    const slow = upload('/ben/slow', { 'content-length': 4 });
    slow.write('sl');
    await expect.poll(() => team.incoming()).toHaveLength(1);
    await team.write('ben', '/ben/quick', 'q');
    expect(await text(team.get('ben', '/ben/quick'))).toBe('q');
    slow.end('ow');
    expect((await replyTo(slow)).status).toBe(200);
    expect(await text(team.get('ben', '/ben/slow'))).toBe('slow');
  });

  it('that outlasts a permission is decided by what the sender may do when it ends', async () => {
    const json = { 'content-type': 'application/json' };
    const member = { name: 'eve', role: { title: 'x' }, permissions: [] };
    const made = await team.fetch('ada', '/members', {
      method: 'POST',
      headers: json,
      body: JSON.stringify(member),
    });
    const { token } = (await made.json()) as { token: string };
    const call = upload('/eve/late', { authorization: `Bearer ${token}`, 'content-length': 4 });
    call.write('la');
    await expect.poll(() => team.incoming()).toHaveLength(1);
    expect(await statusOf(team.fetch('ada', '/members/eve', { method: 'DELETE' }))).toBe(204);
    call.end('te');
    expect((await replyTo(call)).status).toBe(401);
    expect(await statusOf(team.ask('ada', 'stat', '/eve/late'))).toBe(404);
    expect(await team.blobs()).not.toContain(sha256('late'));
  });
});

describe('blobs', () => {
  it('are stored once, as <root>/<first two hex>/<sha256>, with mode 0600 in folders of 0700', async () => {
    const content = randomBytes(100).toString('hex');
    const hash = sha256(content);
    for (const path of ['/ben/same-1', '/ben/same-2', '/cy/same-3'])
      await team.write(path.startsWith('/cy') ? 'cy' : 'ben', path, content);
    const file = join(team.filesRoot, hash.slice(0, 2), hash);
    const found = await stat(file);
    expect([found.size, found.mode & 0o777]).toEqual([200, 0o600]);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    expect((await stat(team.filesRoot)).mode & 0o777).toBe(0o700);

    await team.ask('ben', 'rm', '/ben/same-1');
    await team.ask('ben', 'rm', '/ben/same-2');
    expect(await text(team.get('cy', '/cy/same-3'))).toBe(content);
    await team.ask('cy', 'rm', '/cy/same-3');
    expect(await team.blobs()).not.toContain(hash);
  });

  it('survive repeated writing of the same content while its last reference is removed', async () => {
    const content = randomBytes(2000);
    const hash = sha256(content);
    const path = (n: number) => `/ben/turn-${n}`;
    await team.write('ben', path(0), content);
    for (let n = 0; n < 25; n++) {
      const [removed] = await Promise.all([
        team.ask('ben', 'rm', path(n)),
        team.write('ben', path(n + 1), content),
        team.put('ben', '/ben/turn-other', content, { collide: 'overwrite' }),
        team.ask('ben', 'rm', '/ben/turn-other'),
      ]);
      expect(removed.status).toBe(204);
      const read = await team.get('ben', path(n + 1));
      expect([read.status, sha256(await read.bytes())]).toEqual([200, hash]);
    }
    await team.ask('ben', 'rm', path(25));
    await team.ask('ben', 'rm', '/ben/turn-other');
    expect(await team.blobs()).not.toContain(hash);
  });
});
