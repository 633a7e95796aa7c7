import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownIdentity } from '#platform/process-identity.ts';
import { ActivityEvent } from '#protocol/activity.ts';
import { readSegmentName, segmentName } from './segment-name.rules.ts';
import { lineOf } from './shorten-event.rules.ts';
import { type ActivitySpool, openSpool, type SpoolOptions, spoolFolder } from './spool.ts';
import { exchangeNamed, nameOf } from './testing/events.ts';

const childPath = fileURLToPath(new URL('./testing/spool-child.ts', import.meta.url));
const all = { events: 500, bytes: 1024 * 1024 };

async function newFolder(): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'spool-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  return spoolFolder(base, 'http://broker', 'ada');
}

async function spoolIn(folder: string, more: Partial<SpoolOptions> = {}) {
  const dropped: string[] = [];
  const spool = await openSpool({
    folder,
    onDropped: (reason, count) => dropped.push(`${count} ${reason}`),
    ...more,
  });
  return { spool, dropped };
}

async function drain(spool: ActivitySpool, most = all): Promise<string[]> {
  const names: string[] = [];
  for (let batch = await spool.next(most); batch !== null; batch = await spool.next(most)) {
    names.push(...batch.lines.map((line) => nameOf(String(line))));
    batch.done(batch.lines.length);
    batch.release();
  }
  return names;
}

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
const diskBytes = async (folder: string): Promise<number> => {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

describe('the spool of activity', () => {
  it('returns what it was given, in order, and leaves no file when everything is done', async () => {
    const folder = await newFolder();
    const { spool, dropped } = await spoolIn(folder, { segmentBytes: 5000 });
    for (const name of named('e', 100)) spool.append(exchangeNamed(name, 'x'.repeat(100)));
    expect(spool.waiting).toBe(100);
    expect((await readdir(folder)).length).toBeGreaterThan(3);
    expect(await drain(spool, { events: 7, bytes: 100_000 })).toEqual(named('e', 100));
    expect(spool.waiting).toBe(0);
    spool.append(exchangeNamed('later'));
    expect(await drain(spool)).toEqual(['later']);
    spool.close();
    expect(await readdir(folder)).toEqual([]);
    expect(dropped).toEqual([]);
  });

  it('is accessible only to the user: its folder has mode 0700, and its files have mode 0600', async () => {
    const folder = await newFolder();
    const { spool } = await spoolIn(folder);
    spool.append(exchangeNamed('a'));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(folder))
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    spool.close();
  });

  it('continues at its mark after it ended in the middle, without a repeat', async () => {
    const folder = await newFolder();
    const first = (await spoolIn(folder)).spool;
    for (const name of named('e', 10)) first.append(exchangeNamed(name));
    const batch = await first.next({ events: 6, bytes: 1e6 });
    batch?.done(4);
    batch?.release();
    first.close();
    const { spool } = await spoolIn(folder);
    expect(spool.waiting).toBe(6);
    spool.append(exchangeNamed('new'));
    expect(await drain(spool)).toEqual([...named('e', 10).slice(4), 'new']);
    spool.close();
  });

  it('drops the oldest beyond its limit, counts them, and never drops what is being uploaded', async () => {
    const folder = await newFolder();
    const { spool, dropped } = await spoolIn(folder, { maxBytes: 40_000, segmentBytes: 10_000 });
    spool.append(exchangeNamed('held', 'x'.repeat(11_000)));
    const held = await spool.next(all);
    for (const name of named('e', 100)) spool.append(exchangeNamed(name, 'x'.repeat(1000)));
    expect(await diskBytes(folder)).toBeLessThanOrEqual(40_000);
    held?.done(1);
    held?.release();
    const left = await drain(spool);
    expect(left).toEqual(named('e', 100).slice(-left.length));
    const lost = dropped.map((entry) => Number(/^(\d+) full$/.exec(entry)?.[1]));
    expect(lost.reduce((sum, count) => sum + count, 0)).toBe(100 - left.length);
    spool.close();
  });

  it('does not take over the segments of a living process, and two write side by side', async () => {
    const folder = await newFolder();
    const { spool: one } = await spoolIn(folder);
    const { spool: two } = await spoolIn(folder);
    for (const name of named('one', 30)) one.append(exchangeNamed(name));
    for (const name of named('two', 30)) two.append(exchangeNamed(name));
    expect(await drain(one)).toEqual(named('one', 30));
    expect(await drain(two)).toEqual(named('two', 30));
    one.close();
    two.close();
  });

  it('is taken over by one of several that start at once', async () => {
    const folder = await newFolder();
    for (const round of named('r', 8)) {
      const { spool } = await spoolIn(folder);
      spool.append(exchangeNamed(round));
      // As a process that is gone leaves it.
      const segment = readSegmentName((await readdir(folder)).find((file) => !file.includes('free')) ?? '');
      expect(segment?.owner).toEqual(ownIdentity());
      spool.close();
    }
    const spools = await Promise.all([1, 2, 3].map(async () => (await spoolIn(folder)).spool));
    const names = (await Promise.all(spools.map((spool) => drain(spool)))).flat();
    expect(names.sort()).toEqual(named('r', 8));
    for (const spool of spools) spool.close();
  });

  it('keeps every event that was appended before SIGKILL, complete and in order, from several processes', async () => {
    const folder = await newFolder();
    const printed = new Map<string, string[]>();
    for (const round of [1, 2, 3]) {
      const children = ['a', 'b'].map((letter) => {
        const prefix = `${letter}${round}`;
        const child = spawn(process.execPath, [childPath, folder, prefix], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const lines: string[] = [];
        printed.set(prefix, lines);
        let rest = '';
        child.stdout.on('data', (chunk: Buffer) => {
          const parts = (rest + chunk).split('\n');
          rest = parts.pop() ?? '';
          lines.push(...parts);
          if (lines.length > 50 * round) child.kill('SIGKILL');
        });
        return child;
      });
      await Promise.all(children.map((child) => once(child, 'close')));
    }
    const { spool, dropped } = await spoolIn(folder);
    const kept = await drain(spool);
    for (const [prefix, names] of printed) {
      const own = kept.filter((name) => name.startsWith(`${prefix}-`));
      expect(own.slice(0, names.length)).toEqual(names);
      // It may have kept one that it did not print anymore; its output may lag by what was in the pipe.
      expect(own).toEqual(named(prefix, own.length));
    }
    expect(dropped).toEqual([]);
    spool.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('skips a torn last line, and counts damaged events', async () => {
    const folder = await newFolder();
    const first = (await spoolIn(folder)).spool;
    for (const name of named('e', 3)) first.append(exchangeNamed(name));
    first.close();
    const [file = ''] = await readdir(folder);
    const path = join(folder, file);
    await appendFile(path, `${'\0'.repeat(40)}\n${lineOf(exchangeNamed('after'), 1e6)}\n{"kind":"llm_ex`);
    const { spool, dropped } = await spoolIn(folder);
    expect(await drain(spool)).toEqual([...named('e', 3), 'after']);
    expect(dropped).toEqual(['1 damaged']);
    spool.close();
    for (const size of [0, 1, 40]) {
      const again = (await spoolIn(folder)).spool;
      again.append(exchangeNamed('x'));
      again.close();
      const [only = ''] = await readdir(folder);
      await truncate(join(folder, only), size);
      const { spool: last } = await spoolIn(folder);
      expect(await drain(last)).toEqual([]);
      last.close();
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it('continues when somebody clears the folder', async () => {
    const folder = await newFolder();
    const { spool, dropped } = await spoolIn(folder, { segmentBytes: 300 });
    spool.append(exchangeNamed('lost', 'x'.repeat(400)));
    await rm(folder, { recursive: true });
    spool.append(exchangeNamed('kept'));
    expect(await drain(spool)).toEqual(['kept']);
    expect(dropped).toEqual(['1 damaged']);
    spool.close();
  });

  it('shortens an event that is too large: its largest texts, with a note, before anything else', async () => {
    const folder = await newFolder();
    const { spool, dropped } = await spoolIn(folder, { maxEventBytes: 200_000 });
    const event = exchangeNamed('long', `begin${'é'.repeat(400_000)}`);
    event.entry.request.messages.push({ role: 'user', content: [{ type: 'text', text: 'short one' }] });
    spool.append(event);
    const batch = await spool.next(all);
    const kept = ActivityEvent.parse(JSON.parse(String(batch?.lines[0])));
    expect(batch?.lines[0]?.length).toBeLessThan(200_000);
    if (kept.kind !== 'llm_exchange') throw new Error(kept.kind);
    const [first, second] = kept.entry.request.messages;
    expect(first?.content[0]?.text).toMatch(/^beginé+… \[shortened: \d+ characters more\]$/);
    expect(second).toEqual(event.entry.request.messages[1]);
    const many = exchangeNamed('many');
    many.entry.request.messages = Array.from({ length: 5000 }, (_, n) => ({
      role: 'user',
      content: [{ type: 'text', text: `${n}` }],
    }));
    const line = lineOf(many, 100_000) ?? '';
    expect(line.length).toBeLessThan(100_000);
    expect(line).toContain('"text":"4999"');
    expect(line).toMatch(/\d+ earlier messages and the tools were left out/);
    ActivityEvent.parse(JSON.parse(line));
    expect(dropped).toEqual([]);
    batch?.release();
    spool.close();
  });

  it('reads back every name that it writes', () => {
    for (const owner of [null, { pid: 12, startedAt: '345' }, { pid: 4_000_000, startedAt: null }]) {
      const name = { createdAt: 1_700_000_000_000, sequence: 7, offset: 12_345, owner, salt: '0123abcd' };
      expect(readSegmentName(segmentName(name))).toEqual(name);
    }
    for (const other of ['', 'notes.txt', '000001700000000-000007-zz-free-0.jsonl', '.jsonl'])
      expect(readSegmentName(other)).toBeNull();
  });
});
