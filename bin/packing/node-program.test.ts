import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenNode, releasedNode } from './node-program.ts';
import type { NodeArchive } from './node-release.rules.ts';

let folder: string;
let server: Server;
let content: Buffer;
let requests: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-node-'));
  requests = 0;
  server = createServer((request, reply) => {
    requests++;
    if (request.url === '/missing') reply.writeHead(404);
    reply.end(content);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const files = {
  'node-v1/bin/node': 'the program',
  'node-v1/LICENSE': 'the license',
  'node-v1/README.md': 'x',
};

async function tarOf(entries: Readonly<Record<string, string>>): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries(entries)) tar.entry({ name }, text);
  tar.finalize();
  return gzipSync(await buffer(tar));
}

function archive(name = 'node-v1.tar.gz', path = '/'): NodeArchive {
  const { port } = server.address() as AddressInfo;
  return {
    name,
    url: `http://127.0.0.1:${port}${path}`,
    sha256: createHash('sha256').update(content).digest('hex'),
    program: 'node-v1/bin/node',
    license: 'node-v1/LICENSE',
  };
}

const texts = ({ program, license }: { program: Buffer; license: Buffer }) => [`${program}`, `${license}`];

describe('the released Node', () => {
  it('is downloaded once, and its checksum is compared each time', async () => {
    content = await tarOf(files);
    const cache = join(folder, 'cache');
    for (let round = 0; round < 2; round++)
      expect(texts(await releasedNode(archive(), cache))).toEqual(['the program', 'the license']);
    expect(requests).toBe(1);
    writeFileSync(join(cache, 'node-v1.tar.gz'), 'changed');
    expect(texts(await releasedNode(archive(), cache))).toEqual(['the program', 'the license']);
    expect(requests).toBe(2);
  });

  it('comes out of a zip archive, too', async () => {
    content = Buffer.from(
      zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)]))),
    );
    expect(texts(await releasedNode(archive('node-v1.zip'), folder))).toEqual(['the program', 'the license']);
  });

  it('is not used and not kept if the checksum differs', async () => {
    content = await tarOf(files);
    const expected = 'a'.repeat(64);
    await expect(releasedNode({ ...archive(), sha256: expected }, folder)).rejects.toThrow(
      `node-v1.tar.gz has the checksum ${archive().sha256} instead of ${expected}, so it is not used.`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says what to do if it cannot be downloaded', async () => {
    content = Buffer.from('x');
    const missing = archive('node-v1.tar.gz', '/missing');
    await expect(releasedNode(missing, folder)).rejects.toThrow(
      `${missing.url} cannot be downloaded (status 404). Check the connection, or pass --node <file> with a program of Node.`,
    );
    const unreachable = { ...missing, url: 'http://127.0.0.1:1/node' };
    await expect(releasedNode(unreachable, folder)).rejects.toThrow('cannot be downloaded (');
  });

  it('is refused if the archive lacks the program', async () => {
    content = await tarOf({ 'node-v1/LICENSE': 'x' });
    await expect(releasedNode(archive(), folder)).rejects.toThrow('does not contain node-v1/bin/node');
  });
});

describe('a given Node', () => {
  it('takes the license beside it, of the folder above it, or the one that is named', async () => {
    mkdirSync(join(folder, 'bin'));
    const program = join(folder, 'bin', 'node');
    writeFileSync(program, 'mine');
    await expect(givenNode(join(folder, 'missing'), undefined)).rejects.toThrow(
      `"${join(folder, 'missing')}" cannot be read (ENOENT). Pass --node <file> with a program of Node.`,
    );
    await expect(givenNode(program, undefined)).rejects.toThrow(
      `there is no license of Node at "${join(folder, 'bin', 'LICENSE')}" or "${join(folder, 'LICENSE')}". Pass --node-license <file>.`,
    );
    writeFileSync(join(folder, 'LICENSE'), 'above');
    expect(texts(await givenNode(program, undefined))).toEqual(['mine', 'above']);
    writeFileSync(join(folder, 'bin', 'LICENSE'), 'beside');
    expect(texts(await givenNode(program, undefined))).toEqual(['mine', 'beside']);
    writeFileSync(join(folder, 'other'), 'named');
    expect(texts(await givenNode(program, join(folder, 'other')))).toEqual(['mine', 'named']);
  });
});
