import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refuse } from '#protocol/errors.ts';
import { createLog } from '../../runtime/log.ts';
import { openBlobFolder } from './blob-folder.ts';
import type { OpenBlob } from './blob-place.ts';
import { createBlobStore } from './blob-store.ts';
import { receiveBlob } from './receive-blob.ts';
import type { KnownMark } from './shared-mark.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Copies, because a chunk's memory is returned once it is written. */
const sourceOf = (...chunks: Uint8Array[]) =>
  Readable.from(chunks.map((chunk) => Buffer.copyBytesFrom(chunk)));

async function wholeOf(blob: OpenBlob, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) at += await blob.read(bytes.subarray(at), at);
  await blob.close();
  return bytes;
}

/** A mark as the machines of a team know it. */
function knownMark(): KnownMark {
  let known: string | null = null;
  return {
    read: async () => known,
    keep: async (mark) => {
      known = mark;
    },
  };
}

/** A store of entries that can be paused, so that a test decides what happens first. */
async function setUp({ sharedMark = null }: { sharedMark?: KnownMark | null } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'muster-blobs-'));
  onTestFinished(() => rm(root, { recursive: true }));
  return openIn(root, new Map(), sharedMark);
}

function openIn(root: string, references: Map<string, number>, sharedMark: KnownMark | null) {
  const held: { asked: () => void; answer: Promise<void> }[] = [];
  const unreferenced = async (hashes: string[]) => {
    const found = hashes.filter((hash) => !references.get(hash));
    const hold = held.shift();
    hold?.asked();
    await hold?.answer;
    return found;
  };
  const owner = { storeId: 'test', isOnDisk: true, sharedMark };
  const blobs = createBlobStore({
    root: () => root,
    openPlace: () => openBlobFolder(root, owner, unreferenced),
    minFreeBytes: () => null,
    unreferenced,
    log: createLog({ level: 'silent' }),
  });
  const refer = (hash: string, by: number) => references.set(hash, (references.get(hash) ?? 0) + by);
  const put = (bytes: Uint8Array) =>
    blobs.store(sourceOf(bytes), 1e6, async ({ hash }) => {
      refer(hash, 1);
      return hash;
    });
  const bytesOf = async (hash: string, size: number): Promise<Buffer | null> => {
    const found = await blobs.find({ hash, size });
    return found === null ? null : await wholeOf(found, size);
  };
  /** The next question about unreferenced blobs is answered only after `release`. */
  const holdNext = () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    held.push({ asked: asked.resolve, answer: answer.promise });
    return { asked: asked.promise, release: answer.resolve };
  };
  return { root, references, blobs, put, refer, bytesOf, holdNext };
}

describe('a blob', () => {
  it('is there when commit is called, and is read back byte for byte, whole and in part', async () => {
    const { blobs, bytesOf } = await setUp();
    const bytes = randomBytes(300_000);
    await blobs.store(sourceOf(bytes.subarray(0, 7), bytes.subarray(7)), 1e6, async (content) => {
      expect(content).toEqual({ hash: sha256(bytes), size: bytes.length });
      expect(await bytesOf(content.hash, content.size)).toEqual(bytes);
    });
  });

  it('is gone again if commit refuses, unless something else refers to it', async () => {
    const { blobs, put, bytesOf } = await setUp();
    const refused = (bytes: Uint8Array) =>
      blobs.store(sourceOf(bytes), 1e6, async () => refuse('path_exists', { path: '/ana/a' }));
    await expect(refused(Buffer.from('gone'))).rejects.toMatchObject({ reason: 'path_exists' });
    expect(await bytesOf(sha256(Buffer.from('gone')), 4)).toBeNull();
    await put(Buffer.from('kept'));
    await expect(refused(Buffer.from('kept'))).rejects.toMatchObject({ reason: 'path_exists' });
    expect(await bytesOf(sha256(Buffer.from('kept')), 4)).toEqual(Buffer.from('kept'));
  });

  it('is not purged between being placed and being referred to', async () => {
    const { blobs, refer, bytesOf } = await setUp();
    const bytes = Buffer.from('pinned');
    await blobs.store(sourceOf(bytes), 1e6, async ({ hash }) => {
      await blobs.purge([hash]);
      await blobs.sweep(() => false);
      refer(hash, 1);
    });
    await blobs.sweep(() => false);
    expect(await bytesOf(sha256(bytes), bytes.length)).toEqual(bytes);
  });

  it('is there for a writer that arrived while the last reference was being removed', async () => {
    const { blobs, put, refer, bytesOf, holdNext } = await setUp();
    const bytes = Buffer.from('contested');
    const hash = await put(bytes);
    refer(hash, -1);
    const question = holdNext();
    const purging = blobs.purge([hash]);
    await question.asked;
    // The purge knows that nothing refers to it; the writer is admitted only when the purge is over.
    let isOver = false;
    const writing = put(bytes).then(() => {
      isOver = true;
    });
    for (const other of ['1', '2', '3']) await put(Buffer.from(other));
    expect(isOver).toBe(false);
    question.release();
    await Promise.all([purging, writing]);
    expect(await bytesOf(hash, bytes.length)).toEqual(bytes);
    await blobs.purge([hash]);
    expect(await bytesOf(hash, bytes.length)).toEqual(bytes);
  });

  it('does not wait for the removal of others', async () => {
    const { blobs, put, refer, holdNext } = await setUp();
    const old = await put(Buffer.from('old'));
    refer(old, -1);
    const question = holdNext();
    const purging = blobs.purge([old]);
    await question.asked;
    await put(Buffer.from('new'));
    question.release();
    await purging;
  });

  it('that is incomplete on disk is never returned', async () => {
    const { blobs, put } = await setUp();
    const hash = await put(Buffer.from('short'));
    await expect(blobs.find({ hash, size: 6 })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('leaves nothing behind if its source is interrupted or is too large', async () => {
    const { root, blobs } = await setUp();
    const broken = new PassThrough();
    broken.write('part');
    const storing = blobs.store(broken, 1e6, async () => undefined);
    broken.destroy();
    await expect(storing).rejects.toMatchObject({ code: 'bad_request', reason: 'body_interrupted' });
    const large = blobs.store(sourceOf(Buffer.alloc(11)), 10, async () => undefined);
    await expect(large).rejects.toMatchObject({ code: 'payload_too_large' });
    expect((await readdir(root, { recursive: true })).sort()).toEqual(['.incoming', '.store']);
  });

  it('of a sender that falls silent is abandoned, without closing its connection', async () => {
    const { root, blobs } = await setUp();
    await blobs.open();
    const silent = new PassThrough();
    silent.write('part');
    const receiving = receiveBlob({ source: silent, path: join(root, 'x'), maxBytes: 100, silenceMs: 20 });
    await expect(receiving).rejects.toThrow('the body did not arrive in time');
    expect(silent.destroyed).toBe(false);
  });
});

describe('a folder that several machines share', () => {
  const trashOf = (root: string) => join(root, '.trash');
  const today = () => Math.floor(Date.now() / 86_400_000);

  it('still has a blob that a broker removed late, which was suspended while another one referred to it', async () => {
    const suspended = await setUp({ sharedMark: knownMark() });
    const bytes = Buffer.from('contested');
    const hash = await suspended.put(bytes);
    suspended.refer(hash, -1);
    const question = suspended.holdNext();
    const purging = suspended.blobs.purge([hash]);
    await question.asked;
    const successor = openIn(suspended.root, suspended.references, knownMark());
    await successor.put(bytes);
    question.release();
    await purging;
    expect(await successor.bytesOf(hash, bytes.length)).toEqual(bytes);
    expect(await successor.bytesOf(hash, bytes.length)).toEqual(bytes);
  });

  it('loses what nothing refers to after a day, and gets back what something refers to', async () => {
    const { root, references, put, refer } = await setUp({ sharedMark: knownMark() });
    const [gone, kept] = [await put(Buffer.from('gone')), await put(Buffer.from('kept'))];
    for (const hash of [gone, kept]) refer(hash, -1);
    const first = openIn(root, references, knownMark());
    await first.blobs.purge([gone, kept]);
    expect((await readdir(join(trashOf(root), String(today())))).sort()).toEqual([gone, kept].sort());
    refer(kept, 1);
    await rename(join(trashOf(root), String(today())), join(trashOf(root), String(today() - 2)));
    const later = openIn(root, references, knownMark());
    await later.blobs.purge([]);
    expect(await readdir(trashOf(root))).toEqual([]);
    expect(await later.bytesOf(kept, 4)).toEqual(Buffer.from('kept'));
    expect(await later.bytesOf(gone, 4)).toBeNull();
  });

  it('stores nothing in another folder, also if the right one is unmounted meanwhile', async () => {
    const sharedMark = knownMark();
    const { root, put, bytesOf } = await setUp({ sharedMark });
    const hash = await put(Buffer.from('before'));
    await rename(root, `${root}-away`);
    onTestFinished(() => rm(`${root}-away`, { recursive: true, force: true }));
    await mkdir(join(root, '.incoming'), { recursive: true });
    const sentence = `files are off, because "${root}" is not the folder that the machines of this team share`;
    await expect(put(Buffer.from('lost'))).rejects.toThrow(sentence);
    const next = openIn(root, new Map(), sharedMark);
    await expect(next.put(Buffer.from('lost'))).rejects.toThrow(sentence);
    expect((await readdir(root)).filter((name) => !name.startsWith('.'))).toEqual([]);
    await rm(root, { recursive: true });
    await rename(`${root}-away`, root);
    await next.put(Buffer.from('after'));
    expect(await bytesOf(hash, 6)).toEqual(Buffer.from('before'));
    expect(await next.bytesOf(hash, 6)).toEqual(Buffer.from('before'));
  });
});
