/** The Node that travels with the app: downloaded from the official release and checked, or given by the person who packs. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { extract } from 'tar-stream';
import { codeOf, codeText, reasonOf } from '#platform/error-text.ts';
import type { NodeArchive } from './node-release.rules.ts';

export interface NodeFiles {
  program: Buffer;
  license: Buffer;
}

/**
 * Returns the files of a release. The archive is kept in the folder `cache`, and its checksum is compared each time.
 * @throws Error with what to do if it cannot be downloaded or is another one.
 */
export async function releasedNode(archive: NodeArchive, cache: string): Promise<NodeFiles> {
  const path = join(cache, archive.name);
  const kept = await readFile(path).catch(() => null);
  const bytes = kept !== null && sha256(kept) === archive.sha256 ? kept : await download(archive, path);
  const files = await contentsOf(archive, bytes);
  const [program, license] = [files.get(archive.program), files.get(archive.license)];
  if (program == null || license == null)
    throw new Error(`${archive.name} does not contain ${archive.program} and ${archive.license}.`);
  return { program, license };
}

/** Returns a given program, with the license that its folder, the one above it, or `license` names. @throws Error if one of them cannot be read. */
export async function givenNode(program: string, license: string | undefined): Promise<NodeFiles> {
  const bytes = await programAt(program);
  const folder = dirname(program);
  const places =
    license === undefined ? [folder, dirname(folder)].map((one) => join(one, 'LICENSE')) : [license];
  for (const place of places) {
    const text = await readFile(place).catch(() => null);
    if (text !== null) return { program: bytes, license: text };
  }
  throw new Error(
    `there is no license of Node at ${places.map((place) => `"${place}"`).join(' or ')}. Pass --node-license <file>.`,
  );
}

const programAt = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw new Error(
      `"${path}" cannot be read (${codeText(error)}). Pass --node <file> with a program of Node.`,
    );
  });

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function download({ name, url, sha256: expected }: NodeArchive, path: string): Promise<Buffer> {
  const bytes = await fetched(url).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new Error(
      `${url} cannot be downloaded (${codeOf(cause) ?? reasonOf(cause)}). Check the connection, or pass --node <file> with a program of Node.`,
    );
  });
  const found = sha256(bytes);
  if (found !== expected)
    throw new Error(
      `${name} has the checksum ${found} instead of ${expected}, so it is not used. Try again, and do not pack if it happens again.`,
    );
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.part`;
  await writeFile(part, bytes);
  await rename(part, path);
  return bytes;
}

async function fetched(url: string): Promise<Buffer> {
  const reply = await fetch(url);
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  return Buffer.from(await reply.arrayBuffer());
}

async function contentsOf(
  { name, program, license }: NodeArchive,
  bytes: Buffer,
): Promise<Map<string, Buffer | null>> {
  if (name.endsWith('.zip')) {
    const entries = unzipSync(bytes, { filter: (entry) => entry.name === program || entry.name === license });
    return new Map(Object.entries(entries).map(([path, content]) => [path, Buffer.from(content)]));
  }
  const found = new Map<string, Buffer | null>();
  const tar = extract();
  tar.end(gunzipSync(bytes));
  for await (const entry of tar) {
    const path = entry.header.name;
    if (path !== program && path !== license) {
      entry.resume();
      continue;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    found.set(path, Buffer.concat(chunks));
  }
  return found;
}
