import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPins } from '#client/pins.ts';
import { createHome, type Home, svcPath } from '../testing/command.ts';
import { startCuttingProxy } from '../testing/cutting-proxy.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let url: string;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'), {
    files: { root: 'files', maxFileSize: 200 * 1024 * 1024 },
  });
  ({ url } = await home.serve());
});
afterAll(() => home.remove());

const env = (name: keyof typeof tokens, at = url) => ({ SVC_URL: at, SVC_TOKEN: tokens[name] });
const as = (name: keyof typeof tokens, ...args: string[]) => home.run(['fs', ...args], { env: env(name) });
const local = (name: string, bytes: string | Uint8Array) => writeFile(home.path(name), bytes);
const putText = (path: string, text: string, ...more: string[]) =>
  home.run(['fs', 'put', '-', path, ...more], { env: env('ben'), input: text });
const fetched = (name: string) => readFile(home.path(name));
const leftovers = async (name: string) =>
  (await readdir(home.folder)).filter((entry) => entry.startsWith(`${name}.`)).sort();

describe('muster fs', () => {
  it('uploads a file and downloads it again, byte for byte', async () => {
    const bytes = randomBytes(3_000_000);
    await local('round.bin', bytes);
    expect(await as('ben', 'put', 'round.bin', '/ben/a/round.bin')).toMatchObject({
      code: 0,
      stdout: 'stored /ben/a/round.bin: 2.9 MiB, application/octet-stream\n',
      stderr: '',
    });
    expect(await as('ben', 'get', '/ben/a/round.bin', 'again.bin')).toMatchObject({
      code: 0,
      stdout: 'downloaded /ben/a/round.bin to again.bin: 2.9 MiB\n',
      stderr: '',
    });
    expect((await fetched('again.bin')).equals(bytes)).toBe(true);
    expect(await leftovers('again.bin')).toEqual([]);
  });

  it('finds files by words in their names, and none of others', async () => {
    await putText('/ben/charts/Tide table.md', 'High water');
    expect((await as('ben', 'find', 'table tide')).stdout).toContain('/ben/charts/Tide table.md');
    expect((await as('ben', 'find', 'charts')).stdout).toContain('/ben/charts/');
    expect(await as('cy', 'find', 'tide')).toMatchObject({
      code: 0,
      stdout: 'nothing that you may read has such a name\n',
    });
    expect(await as('ben', 'find', ' ')).toMatchObject({ code: 64 });
  });

  it('stores standard input, knows types by file extension, and writes to standard output', async () => {
    expect((await putText('/ben/note.md', 'ünï ✓\n')).stdout).toBe(
      'stored /ben/note.md: 10 B, text/markdown\n',
    );
    expect((await putText('/ben/typed', 'x', '--mime', 'text/x-mine')).stdout).toContain('text/x-mine');
    expect((await as('ben', 'get', '/ben/note.md', '-')).stdout).toBe('ünï ✓\n');
  });

  it('stores source code as text, and other bytes as such', async () => {
    await local('main.py', 'print("ünï")\n');
    expect((await as('ben', 'put', 'main.py', '/ben/main.py')).stdout).toBe(
      'stored /ben/main.py: 15 B, text/plain\n',
    );
    await local('data.raw', Buffer.from([0xff, 0xfe, 0x00]));
    expect((await as('ben', 'put', 'data.raw', '/ben/data.raw')).stdout).toContain(
      'application/octet-stream',
    );
  });

  it('uploads and downloads an empty file', async () => {
    await putText('/ben/empty.txt', '');
    expect((await as('ben', 'get', '/ben/empty.txt')).code).toBe(0);
    expect((await fetched('empty.txt')).length).toBe(0);
  });

  it('keeps the name if the path ends with a slash, or the target is a folder', async () => {
    await local('kept.txt', 'kept');
    expect((await as('ben', 'put', 'kept.txt', '/ben/b/')).stdout).toContain('stored /ben/b/kept.txt');
    await mkdir(home.path('folder'));
    expect((await as('ben', 'get', '/ben/b/kept.txt', 'folder')).code).toBe(0);
    expect((await fetched('folder/kept.txt')).toString()).toBe('kept');
    expect((await as('ben', 'mv', '/ben/b/kept.txt', '/ben/c/')).code).toBe(1);
    await as('ben', 'mkdir', '/ben/c');
    expect((await as('ben', 'mv', '/ben/b/kept.txt', '/ben/c/')).stdout).toBe(
      'moved /ben/b/kept.txt to /ben/c/kept.txt\n',
    );
  });

  it('obeys --collide', async () => {
    await putText('/ben/same.txt', 'one');
    expect((await putText('/ben/same.txt', 'two')).stderr).toContain('pass --collide overwrite');
    expect((await putText('/ben/same.txt', 'two', '--collide', 'suffix')).stdout).toBe(
      'stored /ben/same-1.txt: 3 B, text/plain (/ben/same.txt already exists)\n',
    );
    expect((await putText('/ben/same.txt', 'three', '--collide', 'overwrite')).code).toBe(0);
    expect((await as('ben', 'get', '/ben/same.txt', '-')).stdout).toBe('three');
    expect((await putText('/ben/same.txt', 'x', '--collide', 'maybe')).code).toBe(64);
  });

  it('never replaces a local file without --force', async () => {
    await putText('/ben/mine.txt', 'theirs');
    await local('mine.txt', 'mine');
    const refused = await as('ben', 'get', '/ben/mine.txt');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^muster: "mine\.txt" already exists\. Pass --force [^\n]*\n$/);
    expect((await fetched('mine.txt')).toString()).toBe('mine');
    expect((await as('ben', 'get', '/ben/mine.txt', '--force')).code).toBe(0);
    expect((await fetched('mine.txt')).toString()).toBe('theirs');
  });

  it('lists, shows, and deletes', async () => {
    await putText('/cy-is-not-ben', 'x');
    await as('cy', 'mkdir', '/cy/deep/er', '--recursive');
    expect((await as('cy', 'ls')).stdout).toMatch(/^NAME +SIZE +TYPE +OWNER +CHANGED\ndeep\/ +cy /);
    const listed = JSON.parse((await as('cy', 'ls', '/cy/deep', '--json')).stdout);
    expect(listed.entries).toMatchObject([{ path: '/cy/deep/er', kind: 'directory' }]);
    expect((await as('cy', 'stat', '/cy/deep')).stdout).toMatch(/^\/cy\/deep\ndirectory\nowner: cy\n/);
    expect((await as('cy', 'rm', '/cy/deep')).stderr).toContain('pass --recursive to remove all of it');
    expect((await as('cy', 'rm', '/cy/deep', '-r')).stdout).toBe('deleted /cy/deep\n');
    expect((await as('cy', 'stat', '/cy/deep')).stderr).toContain('there is no');
  });

  it('shows what is shared, and with whom', async () => {
    await putText('/ben/shared.txt', 'for cy');
    const body = JSON.stringify({ to: 'cy', body: 'look', attachments: ['/ben/shared.txt'] });
    const headers = { authorization: `Bearer ${tokens.ben}`, 'content-type': 'application/json' };
    expect((await fetch(`${url}/push`, { method: 'POST', headers, body })).status).toBe(200);
    expect((await as('cy', 'shared')).stdout).toContain('/ben/shared.txt  6 B   text/plain  ben');
    expect((await as('cy', 'get', '/ben/shared.txt', '-')).stdout).toBe('for cy');
    expect((await as('ben', 'grants', '/ben/shared.txt')).stdout).toMatch(
      /^MEMBER +SINCE +BY\ncy +\S+ \S+ +message \S+\n$/,
    );
  });

  it('stores no name that turns the direction of text, and never shows one as it is', async () => {
    const name = '/ben/"a\u202eb".txt';
    expect((await putText(name, 'x')).stderr).toContain('must not have invisible characters');
    for (const args of [
      ['ls', name],
      ['stat', name],
      ['rm', name],
    ]) {
      const { stdout, stderr } = await as('ben', ...args);
      expect(stdout + stderr).not.toContain('\u202e');
      expect(stdout + stderr).not.toBe('');
    }
  });

  it.each([
    [['get'], 64, 'do not match "muster fs get <path> [local]"'],
    [['get', 'relative'], 64, '"relative" is not a valid path: it must be absolute'],
    [['get', '/a', 'b', 'c'], 64, 'do not match'],
    [['put', '-', '/ben/'], 64, 'Name a file'],
    [['put', 'x'], 64, 'do not match "muster fs put <local> <path>"'],
    [['ls', '--force'], 64, 'does not accept --force'],
    [['lss'], 64, 'Did you mean "ls"?'],
    [['get', '/ada/secret'], 1, 'this path is neither in your'],
    [['get', '/ben/none'], 1, 'there is no'],
    [['put', 'no-such-file', '/ben/x'], 1, 'no-such-file'],
    [['put', '.', '/ben/x'], 1, 'is a directory'],
  ])('says in one line what is wrong with %j', async (args, code, sentence) => {
    const ended = await as('ben', ...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(sentence);
    expect(ended.stderr).toMatch(/^muster: [^\n]+\n$/);
  });

  it('ends with the broker’s refusal, although standard input continues', async () => {
    const running = home.start(['fs', 'put', '-', '/ada/x'], env('ben'));
    running.child.stdin.on('error', () => {});
    running.child.stdin.write('still typing');
    const { code, stderr } = await running.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('you may change files only in');
  });

  it('explains its actions with --help', async () => {
    const { code, stdout } = await as('ben', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('put <local> <path>');
    expect(stdout).toContain('ls [path]');
  });
});

describe('an interrupted download', () => {
  const size = 5_000_000;
  const half = 2_000_000;

  async function stored(path: string) {
    const bytes = randomBytes(size);
    await local('source.bin', bytes);
    const { code } = await as('ben', 'put', 'source.bin', path, '--collide', 'overwrite');
    expect(code).toBe(0);
    return bytes;
  }
  async function breaking<T>(work: (proxy: Awaited<ReturnType<typeof startCuttingProxy>>) => Promise<T>) {
    const proxy = await startCuttingProxy(url);
    try {
      return await work(proxy);
    } finally {
      await proxy.close();
    }
  }
  const get = (at: string, path: string, target: string) =>
    home.run(['fs', 'get', path, target], { env: env('ben', at) });

  it('continues where it stopped', () =>
    breaking(async (proxy) => {
      const bytes = await stored('/ben/big.bin');
      proxy.fault = { after: half, kind: 'break' };
      const broken = await get(proxy.url, '/ben/big.bin', 'big.bin');
      expect(broken).toMatchObject({ code: 1, stdout: '' });
      expect(broken.stderr).toMatch(
        /^muster: .*broke.*Run the command again to continue after [\d.]+ [KM]?i?B\.\n$/,
      );
      const { size: there } = await stat(home.path('big.bin.part'));
      expect(there).toBeGreaterThan(0);
      expect(await leftovers('big.bin')).toEqual(['big.bin.part', 'big.bin.part.etag']);
      expect(await get(proxy.url, '/ben/big.bin', 'big.bin')).toMatchObject({ code: 0, stderr: '' });
      expect(proxy.seen.at(-1)?.range).toBe(`bytes=${there}-`);
      expect((await fetched('big.bin')).equals(bytes)).toBe(true);
      expect(await leftovers('big.bin')).toEqual([]);
    }));

  it('continues after the process was killed', () =>
    breaking(async (proxy) => {
      const bytes = await stored('/ben/killed.bin');
      proxy.fault = { after: half, kind: 'stall' };
      const running = home.start(['fs', 'get', '/ben/killed.bin', 'killed.bin'], env('ben', proxy.url));
      await proxy.stalled;
      await expect.poll(async () => (await stat(home.path('killed.bin.part'))).size).toBe(half);
      running.child.kill('SIGKILL');
      await running.ended;
      expect((await get(proxy.url, '/ben/killed.bin', 'killed.bin')).code).toBe(0);
      expect(proxy.seen.at(-1)?.range).toBe(`bytes=${half}-`);
      expect((await fetched('killed.bin')).equals(bytes)).toBe(true);
    }));

  it('starts again if the file has changed in the meantime', () =>
    breaking(async (proxy) => {
      await stored('/ben/changed.bin');
      proxy.fault = { after: half, kind: 'break' };
      expect((await get(proxy.url, '/ben/changed.bin', 'changed.bin')).code).toBe(1);
      const bytes = await stored('/ben/changed.bin');
      expect((await get(proxy.url, '/ben/changed.bin', 'changed.bin')).code).toBe(0);
      expect((await fetched('changed.bin')).equals(bytes)).toBe(true);
      proxy.fault = { after: half, kind: 'break' };
      expect((await get(proxy.url, '/ben/changed.bin', 'short.bin')).code).toBe(1);
      await putText('/ben/changed.bin', 'short', '--collide', 'overwrite');
      expect((await get(proxy.url, '/ben/changed.bin', 'short.bin')).code).toBe(0);
      expect((await fetched('short.bin')).toString()).toBe('short');
    }));

  it('is deleted if another program modified it, and never gets the name', async () => {
    const bytes = await stored('/ben/tampered.bin');
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
    await local('tampered.bin.part', randomBytes(1000));
    await local('tampered.bin.part.etag', etag);
    const refused = await get(url, '/ben/tampered.bin', 'tampered.bin');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('does not match the file');
    expect(await leftovers('tampered.bin')).toEqual([]);
    expect((await get(url, '/ben/tampered.bin', 'tampered.bin')).code).toBe(0);
    expect((await fetched('tampered.bin')).equals(bytes)).toBe(true);
  });

  it('does not write through a link in place of its part file', async () => {
    await putText('/ben/linked.txt', 'new', '--collide', 'overwrite');
    await local('precious', 'precious');
    await local('linked.txt.part.etag', '"x"');
    await symlink(home.path('precious'), home.path('linked.txt.part'));
    expect((await get(url, '/ben/linked.txt', 'linked.txt')).code).toBe(0);
    expect((await fetched('precious')).toString()).toBe('precious');
    expect((await fetched('linked.txt')).toString()).toBe('new');
  });

  it('does not replace a file that was created in the meantime', () =>
    breaking(async (proxy) => {
      await stored('/ben/late.bin');
      proxy.fault = { after: half, kind: 'stall' };
      const running = home.start(['fs', 'get', '/ben/late.bin', 'late.bin'], env('ben', proxy.url));
      await proxy.stalled;
      await local('late.bin', 'mine');
      await proxy.close();
      await running.ended;
      const refused = await get(url, '/ben/late.bin', 'late.bin');
      expect(refused.stderr).toContain('late.bin" already exists');
      expect((await fetched('late.bin')).toString()).toBe('mine');
    }));
});

describe('a large file', () => {
  it('is uploaded and downloaded with memory that does not grow with its size', async () => {
    await local(
      'memory.cjs',
      `process.on('exit', () => process.stderr.write('rss=' + process.resourceUsage().maxRSS + '\\n'));`,
    );
    /** The most MiB that a command used. */
    async function heldBy(...args: string[]): Promise<number> {
      const script = ['--require', home.path('memory.cjs'), svcPath, 'fs', ...args];
      const { code, stderr } = await home.startScript(script, env('ada')).ended;
      expect(code).toBe(0);
      return Number(/rss=(\d+)/.exec(stderr)?.[1]) / 1024;
    }
    const held = { put: [] as number[], get: [] as number[] };
    for (const mebibytes of [60, 200]) {
      await local(`${mebibytes}.in`, '');
      await truncate(home.path(`${mebibytes}.in`), mebibytes * 1024 * 1024);
      held.put.push(await heldBy('put', `${mebibytes}.in`, `/ada/${mebibytes}`));
      held.get.push(await heldBy('get', `/ada/${mebibytes}`, `${mebibytes}.out`));
    }
    for (const [small = 0, large = 0] of [held.put, held.get]) expect(large - small).toBeLessThan(50);
  });

  it('is refused above the broker’s limit, even if its size is not known in advance', async () => {
    await local('huge', '');
    await truncate(home.path('huge'), 201 * 1024 * 1024);
    const declared = await as('ada', 'put', 'huge', '/ada/huge');
    expect(declared.stderr).toContain('the file is larger than');
    const streamed = home.start(['fs', 'put', '-', '/ada/huge'], env('ada'));
    streamed.child.stdin.on('error', () => {});
    createReadStream(home.path('huge')).pipe(streamed.child.stdin);
    expect((await streamed.ended).stderr).toContain('the file is larger than');
    expect((await as('ada', 'stat', '/ada/huge')).stderr).toContain('there is no');
  });
});

describe('muster push --attach', () => {
  it('shares files with the recipients of the message', async () => {
    await putText('/ben/one.txt', 'one');
    await putText('/ben/two.txt', 'two');
    expect((await as('cy', 'get', '/ben/one.txt', '-')).stderr).toContain('this path is neither in your');
    const sent = ['push', '--to', 'cy', '--attach', '/ben/one.txt, /ben/two.txt', 'see'];
    expect((await home.run(sent, { env: env('ben') })).code).toBe(0);
    expect((await as('cy', 'get', '/ben/one.txt', '-')).stdout).toBe('one');
    expect((await as('cy', 'get', '/ben/two.txt', '-')).stdout).toBe('two');
    const missing = await home.run(['push', '--attach', '/ben/none.txt', 'see'], { env: env('ben') });
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    const wrong = await home.run(['push', '--attach', 'none.txt', 'see'], { env: env('ben') });
    expect(wrong).toMatchObject({ code: 1, stderr: 'muster: there is no file "none.txt".\n' });
  });
});

describe('over HTTPS', () => {
  it('uploads and downloads through the pinned connection', async () => {
    const other = await createHome();
    onTestFinished(() => other.remove());
    await writeTeam(other.path('svc.json'), { files: { root: 'files' } });
    const made = JSON.parse((await other.run(['setup', '--https', '--https-port', '0', '--json'])).stdout);
    const broker = await other.serve();
    await broker.shows('listening on https://');
    const { port } = new URL(/listening on (https:\S+)\n/.exec(broker.stdout())?.[1] ?? '');
    const secure = `https://127.0.0.1:${port}`;
    await createPins({ path: other.path('config/svc/pins.json') }).save(secure, made.fingerprint);
    const bytes = randomBytes(2_000_000);
    await writeFile(other.path('in'), bytes);
    const run = (...args: string[]) => other.run(['fs', ...args], { env: env('ada', secure) });
    expect(await run('put', 'in', '/ada/secure')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('get', '/ada/secure', 'out')).toMatchObject({ code: 0, stderr: '' });
    expect((await readFile(other.path('out'))).equals(bytes)).toBe(true);
    expect((await run('put', 'in', '/ada/secure')).stderr).toContain('already exist');
  });
});
