/**
 * Events that wait for the broker, on disk: segment files of JSON lines in a folder of the person's own. An
 * event is in its file when `append` returns, so it survives the end of this process in any form; it is
 * synced within a second, so a power failure costs at most that. Runners that share the folder write their
 * own segments, and take over those of processes that are gone.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownIdentity } from '#platform/process-identity.ts';
import type { ActivityEvent } from '#protocol/activity.ts';
import { readSegmentName, type SegmentName, segmentName } from './segment-name.rules.ts';
import { openSegmentWriter, type SegmentWriter } from './segment-writer.ts';
import { lineOf } from './shorten-event.rules.ts';

/** `full`: there was no space; `unwritable`, `damaged`: the disk; `too large`, `refused`: the event. */
export type DropReason = 'full' | 'unwritable' | 'damaged' | 'too large' | 'refused';

export interface SpoolOptions {
  /** See spoolFolder. */
  folder: string;
  /** Of all segments together, 64 MiB by default; the oldest ones are dropped beyond that. */
  maxBytes?: number;
  /** A segment that has reached this size is not written to anymore; 4 MiB by default. */
  segmentBytes?: number;
  /** A larger event is shortened; 8 MiB by default. */
  maxEventBytes?: number;
  onDropped(reason: DropReason, count: number): void;
}

export interface SpoolBatch {
  /** One event as JSON each, oldest first. */
  readonly lines: readonly Buffer[];
  /** The next `count` of them are uploaded or abandoned. */
  done(count: number): void;
  /** Call it at the end: until then, nothing of the batch is dropped to make room. */
  release(): void;
}

export interface ActivitySpool {
  /** Never throws: what cannot be kept is reported to `onDropped`. */
  append(event: ActivityEvent): void;
  /** Events that are not done. */
  readonly waiting: number;
  /**
   * Returns the oldest events, at least one, and beyond that at most `bytes`; null if there are none. One
   * batch at a time.
   */
  next(most: { events: number; bytes: number }): Promise<SpoolBatch | null>;
  /** Leaves waiting events for the next start. */
  close(): void;
}

const MiB = 1024 * 1024;

function lineBytes(line: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(line) + 1);
  bytes[bytes.write(line)] = 10;
  return bytes;
}

/** One folder per broker and member. */
export function spoolFolder(runsDir: string, url: string, member: string): string {
  const name = createHash('sha256').update(`${url}\n${member}`).digest('hex').slice(0, 24);
  return join(runsDir, `activity-${name}`);
}

/** With the ends of the lines. */
const bytesOf = (lines: readonly Buffer[]): number => lines.reduce((sum, { length }) => sum + length + 1, 0);

interface Segment {
  path: string;
  name: SegmentName;
  /** Up to the end of its last whole line. */
  size: number;
  /** Events after its mark. */
  count: number;
  isReading: boolean;
}

/** @throws the system's error if the folder cannot be created or read. */
export async function openSpool(options: SpoolOptions): Promise<ActivitySpool> {
  const { folder, onDropped, maxBytes = 64 * MiB, segmentBytes = 4 * MiB, maxEventBytes = 8 * MiB } = options;
  const self = ownIdentity();
  /** Oldest first. */
  let segments: Segment[] = [];
  let writing: { segment: Segment; writer: SegmentWriter } | null = null;
  let sequence = 0;
  let isClosed = false;

  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  for (const name of (await readdir(folder)).flatMap((file) => readSegmentName(file) ?? []))
    if (name.owner === null || !isAlive(name.owner)) await adopt(name);
  segments.sort((a, b) => a.name.createdAt - b.name.createdAt || a.name.sequence - b.name.sequence);
  for (const segment of segments) if (segment.count === 0) forget(segment);
  makeRoom(0);

  async function adopt(name: SegmentName): Promise<void> {
    const path = join(folder, segmentName(name));
    const own = { ...name, owner: self };
    const ownPath = join(folder, segmentName(own));
    try {
      // Of two that try, the rename succeeds for one.
      renameSync(path, ownPath);
      const bytes = await readFile(ownPath);
      let count = 0;
      for (let at = bytes.indexOf(10, name.offset); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
      // A last line without an end was never acknowledged.
      const size = bytes.lastIndexOf(10) + 1;
      segments.push({ path: ownPath, name: own, size, count, isReading: false });
    } catch {
      // Another process has it by now.
    }
  }

  function forget(segment: Segment): void {
    if (writing?.segment === segment) endWriting();
    segments = segments.filter((one) => one !== segment);
    try {
      rmSync(segment.path, { force: true });
    } catch {
      // The rest is read again at the next start.
    }
  }

  function endWriting(): void {
    writing?.writer.end();
    writing = null;
  }

  /** False if nothing more can be dropped. */
  function makeRoom(bytes: number): boolean {
    for (;;) {
      const total = segments.reduce((sum, { size }) => sum + size, 0);
      if (total + bytes <= maxBytes) return true;
      const oldest = segments.find(({ isReading }) => !isReading);
      if (oldest === undefined) return false;
      forget(oldest);
      if (oldest.count > 0) onDropped('full', oldest.count);
    }
  }

  function segmentToWrite(): { segment: Segment; writer: SegmentWriter } {
    if (writing?.writer.isSound && writing.writer.size < segmentBytes) return writing;
    endWriting();
    // A clock that was set back must not put new events before old ones.
    const createdAt = Math.max(Date.now(), segments.at(-1)?.name.createdAt ?? 0);
    const salt = randomBytes(4).toString('hex');
    const name = { createdAt, sequence: sequence++ % 1_000_000, offset: 0, owner: self, salt };
    const path = join(folder, segmentName(name));
    // A program that clears caches may have deleted the folder.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const segment = { path, name, size: 0, count: 0, isReading: false };
    writing = { segment, writer: openSegmentWriter(path) };
    segments.push(segment);
    return writing;
  }

  function rename(segment: Segment, name: SegmentName): void {
    const path = join(folder, segmentName(name));
    segment.name = name;
    try {
      renameSync(segment.path, path);
      segment.path = path;
    } catch {
      // This costs a repeat at the next start, and nothing more.
    }
  }

  function advance(segment: Segment, bytes: number, count: number): void {
    if (isClosed || !segments.includes(segment)) return;
    segment.count -= count;
    const offset = segment.name.offset + bytes;
    if (offset >= segment.size) forget(segment);
    else rename(segment, { ...segment.name, offset });
  }

  /** The lines after a segment's mark: those within so many bytes, or the first one. */
  async function read({ path, name, size }: Segment, most: number): Promise<Buffer[]> {
    const file = await open(path, 'r');
    try {
      for (let length = most; ; length *= 2) {
        const isRest = length >= size - name.offset;
        const buffer = Buffer.alloc(isRest ? size - name.offset : length);
        const { bytesRead } = await file.read(buffer, 0, buffer.length, name.offset);
        const lines: Buffer[] = [];
        for (
          let from = 0, at = buffer.indexOf(10);
          at >= 0 && at < bytesRead;
          at = buffer.indexOf(10, from)
        ) {
          lines.push(buffer.subarray(from, at));
          from = at + 1;
        }
        if (lines.length > 0 || isRest) return lines;
      }
    } finally {
      await file.close();
    }
  }

  async function next(most: { events: number; bytes: number }): Promise<SpoolBatch | null> {
    for (;;) {
      const segment = segments.find(({ count }) => count > 0);
      if (segment === undefined || isClosed) return null;
      segment.isReading = true;
      const found = await read(segment, most.bytes).catch(() => []);
      const isWhole = (line: Buffer): boolean => line[0] === 123 && line.at(-1) === 125;
      const good = found.findIndex(isWhole);
      if (good !== 0) {
        // A power failure left lines without content, or the file was deleted.
        const isLost = found.length === 0;
        const damaged = good < 0 ? found : found.slice(0, good);
        const bad = isLost ? segment.count : damaged.length;
        advance(segment, isLost ? segment.size : bytesOf(damaged), bad);
        segment.isReading = false;
        onDropped('damaged', bad);
        continue;
      }
      let size = 0;
      const end = found.findIndex((one, index) => {
        size += one.length + 1;
        return !isWhole(one) || index >= most.events || (index > 0 && size > most.bytes);
      });
      const taken = end < 0 ? found : found.slice(0, end);
      let doneCount = 0;
      return {
        lines: taken,
        done(count) {
          const passed = taken.slice(doneCount, doneCount + count);
          doneCount += passed.length;
          advance(segment, bytesOf(passed), passed.length);
        },
        release() {
          segment.isReading = false;
        },
      };
    }
  }

  return {
    get waiting() {
      return segments.reduce((sum, { count }) => sum + count, 0);
    },
    append(event) {
      const line = lineOf(event, maxEventBytes);
      if (line === null) return onDropped('too large', 1);
      const bytes = lineBytes(line);
      if (isClosed || !makeRoom(bytes.length)) return onDropped(isClosed ? 'unwritable' : 'full', 1);
      try {
        const { segment, writer } = segmentToWrite();
        writer.write(bytes);
        segment.size = writer.size;
        segment.count += 1;
      } catch {
        onDropped('unwritable', 1);
      }
    },
    next,
    close() {
      if (isClosed) return;
      endWriting();
      isClosed = true;
      for (const segment of segments) {
        if (segment.count === 0) forget(segment);
        else rename(segment, { ...segment.name, owner: null });
      }
    },
  };
}
