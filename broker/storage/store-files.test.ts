import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { StartUpError } from '../runtime/start-up-error.ts';
import { openTestStore, testFolder } from './testing/test-store.ts';

const isRoot = process.getuid?.() === 0;
const childPath = fileURLToPath(new URL('./testing/store-child.ts', import.meta.url));

async function startHolder(file: string): Promise<{ child: ChildProcess; line: () => Promise<string> }> {
  const child = spawn(process.execPath, [childPath, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? '';
  expect(await line()).toBe('holds it');
  return { child, line };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const modes = async (folder: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).map(async (name) => [
        name,
        ((await stat(join(folder, name))).mode & 0o777).toString(8),
      ]),
    ),
  );

let pristine: string | null = null;

/** A store of a few hundred pages that was closed in order; created once, and copied for each test. */
async function closedStore(): Promise<string> {
  const file = join(await testFolder(), 'test.db');
  if (pristine === null) {
    const store = await openTestStore(file);
    await Promise.all(Array.from({ length: 200 }, (_, n) => store.units.add({ name: `${n}`, bulk: 4000 })));
    await store.close();
    pristine = join(await mkdtemp(join(tmpdir(), 'muster-store-')), 'test.db');
    await cp(file, pristine);
  } else await cp(pristine, file);
  return file;
}
afterAll(async () => {
  if (pristine !== null) await rm(join(pristine, '..'), { recursive: true });
});

/** A store whose process was killed: what it wrote is in the log beside the file. */
async function killedStore(): Promise<string> {
  const file = join(await testFolder(), 'test.db');
  await kill((await startHolder(file)).child);
  return file;
}

/** An empty log is as good as none. */
const contents = async (file: string) => {
  const digests = [file, `${file}-wal`].map(async (path) => {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    return bytes.length === 0 ? null : createHash('sha256').update(bytes).digest('hex');
  });
  const [main, log] = await Promise.all(digests);
  return { main, log };
};

/** Opening stops with one sentence that names the file and matches `remedy`; file and log keep every byte. */
async function expectRefusal(file: string, remedy: RegExp, exitCode: number): Promise<void> {
  const before = await contents(file);
  const refused = await openTestStore(file).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartUpError);
  expect(refused).toMatchObject({ message: expect.stringMatching(remedy), exitCode });
  const { message } = refused as StartUpError;
  expect(message.startsWith(`"${file}" `)).toBe(true);
  expect(message).not.toContain('\n');
  expect(await contents(file)).toEqual(before);
}

const restore =
  /is damaged \(.+\); run ".+ repair", restore it from a backup, or move it and its -wal file to another folder to start empty$/;
const check = /cannot be opened \(.+\); check that the path exists and that you may read and write it$/;

describe('the files of a store', () => {
  it('have mode 0600 in new folders of 0700, whatever the umask, and so do their log, index, and lock', async () => {
    const outer = await testFolder();
    await chmod(outer, 0o755);
    const folder = join(outer, 'new', 'deep');
    const before = process.umask(0);
    try {
      const store = await openTestStore(join(folder, 'test.db'));
      await store.units.add({ name: 'x' });
    } finally {
      process.umask(before);
    }
    expect(await modes(folder)).toEqual({
      'test.db': '600',
      'test.db-shm': '600',
      'test.db-wal': '600',
      'test.db.lock': '600',
    });
    expect(await modes(outer)).toEqual({ new: '700' });
    expect(await modes(join(outer, 'new'))).toEqual({ deep: '700' });
  });

  it('are one file after an orderly close: the log is checkpointed', async () => {
    const file = join(await testFolder(), 'test.db');
    const store = await openTestStore(file);
    await store.units.add({ name: 'x' });
    await store.close();
    expect((await readdir(join(file, '..'))).sort()).toEqual(['test.db', 'test.db.lock']);
  });
});

describe('a second broker on the same store', () => {
  it('is refused with a sentence, in this and in another process, by any name; the first one continues', async () => {
    const folder = await testFolder();
    const file = join(folder, 'test.db');
    const { child, line } = await startHolder(file);
    await symlink(file, join(folder, 'other name.db'));
    for (const name of [file, join(folder, 'other name.db')]) {
      await expect(openTestStore(name)).rejects.toThrow(
        `"${name}" is in use by another broker; stop that broker, or name other stores for this one with --db and --activity-db, or in its configuration`,
      );
    }
    child.kill('SIGUSR2');
    expect(await line()).toBe('wrote again');
    await kill(child);

    const { units } = await openTestStore(file);
    expect(await units.names()).toEqual([`of ${child.pid}`, 'still there']);
    await expect(openTestStore(file)).rejects.toThrow('in use by another broker');
    expect(await units.add({ name: 'first goes on' })).toBe(3);
  });

  it('gets the store as soon as the first one is killed with -9', async () => {
    const file = join(await testFolder(), 'test.db');
    const holders = [];
    for (let n = 0; n < 3; n++) {
      const { child } = await startHolder(file);
      holders.push(`of ${child.pid}`);
      await kill(child);
    }
    expect(await (await openTestStore(file)).units.names()).toEqual(holders);
  });
});

describe('a damaged file stops the start with one sentence that says what to do, and keeps every byte', () => {
  it.each([
    ['a header of garbage', async (file: string) => overwrite(file, 0, 100)],
    ['garbage from end to end', async (file: string) => writeFile(file, Buffer.alloc(50_000, 'no database'))],
    ['a first page of garbage', async (file: string) => overwrite(file, 100, 3996)],
    ['half of its length', async (file: string) => truncate(file, (await stat(file)).size / 2)],
    ['a length inside its first page', async (file: string) => truncate(file, 1000)],
    ['a page short', async (file: string) => truncate(file, (await stat(file)).size - 4096)],
    ['the root of its table overwritten', async (file: string) => overwrite(file, 4096, 4096)],
    ['a page in the middle overwritten', async (file: string) => overwrite(file, 100 * 4096, 4096)],
  ])('%s', async (_, damage) => {
    const file = await closedStore();
    await damage(file);
    await expectRefusal(file, restore, 1);
  });

  it('but not if only an index is damaged: it opens, and says so', async () => {
    const file = await closedStore();
    await overwrite(file, 2 * 4096, 4096);
    const store = await openTestStore(file);
    expect(store.damage).toContain('Tree 3');
  });

  it.each([
    ['emptied', async (file: string) => truncate(file, 0)],
    ['removed', async (file: string) => rm(file)],
  ])('a file that was %s while its log holds messages', async (_, damage) => {
    const file = await killedStore();
    await damage(file);
    await expectRefusal(file, restore, 1);
  });

  it('a header of garbage with a log beside it', async () => {
    const file = await killedStore();
    await overwrite(file, 0, 100);
    const before = await contents(file);
    // The log holds the whole first page, so SQLite may do without the damaged one; it must never lose the
    // log.
    const opened = await openTestStore(file).then(
      ({ units }) => units.names(),
      (error: StartUpError) => error.message,
    );
    if (typeof opened === 'string') {
      expect(opened).toMatch(restore);
      expect(await contents(file)).toEqual(before);
    } else expect(opened).toHaveLength(1);
  });

  async function overwrite(file: string, from: number, length: number): Promise<void> {
    const bytes = await readFile(file);
    bytes.fill('damage! ', from, from + length);
    await writeFile(file, bytes);
  }
});

describe('a file that cannot be used stops the start with one sentence', () => {
  it('if it is a folder', async () => {
    const folder = join(await testFolder(), 'test.db');
    await mkdir(folder);
    await expectRefusal(folder, check, 1);
  });

  it('if its folder is a file, or cannot be created', async () => {
    const folder = await testFolder();
    await writeFile(join(folder, 'file'), '');
    await expectRefusal(join(folder, 'file', 'test.db'), check, 1);
    if (process.platform === 'linux') await expectRefusal('/sys/muster/test.db', check, 1);
  });

  it.each(['the file', 'its folder'])('if %s is read-only', async (what) => {
    const file = await closedStore();
    makeReadOnly(what === 'the file' ? file : join(file, '..'));
    await expectRefusal(file, check, 1);
  });

  it('if it was written by a newer version, log included', async () => {
    const file = await killedStore();
    const db = new Database(file);
    db.pragma('user_version = 99');
    const newer = join(await testFolder(), 'newer.db');
    await cp(file, newer);
    await cp(`${file}-wal`, `${newer}-wal`);
    db.close();
    await expectRefusal(
      newer,
      /was written by a newer version of Muster; start that version, or restore an older backup$/,
      78,
    );
  });

  /** Permission bits do not stop root; the immutable flag does. */
  function makeReadOnly(path: string): void {
    if (isRoot) {
      execFileSync('chattr', ['+i', path]);
      onTestFinished(() => void execFileSync('chattr', ['-i', path]));
    } else {
      execFileSync('chmod', ['a-w', path]);
      onTestFinished(() => void execFileSync('chmod', ['u+w', path]));
    }
  }
});

describe('a store that was killed while it was being created', () => {
  it('starts empty if the file has no byte yet', async () => {
    const file = join(await testFolder(), 'test.db');
    await writeFile(file, '');
    expect(await (await openTestStore(file)).units.names()).toEqual([]);
  });

  it('is rolled back and created again if its first page was half written', async () => {
    const file = join(await testFolder(), 'test.db');
    const other = join(await testFolder(), 'test.db');
    const making = new Database(file);
    making.pragma('cache_size = 1');
    making.exec('BEGIN; CREATE TABLE half (a)');
    for (let n = 0; n < 50; n++) making.exec('INSERT INTO half VALUES (zeroblob(4000))');
    for (const suffix of ['', '-journal']) await cp(file + suffix, other + suffix);
    making.close();
    expect(await (await openTestStore(other)).units.names()).toEqual([]);
  });
});
