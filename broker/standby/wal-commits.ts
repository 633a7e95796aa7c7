/**
 * The commits of the writer of a store: the frames that SQLite added to its log (https://sqlite.org/walformat.html).
 * The writer reads them right after its COMMIT and before it folds the log into the file, so it misses none.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { PageCommit } from './page-commit.ts';

const headerBytes = 32;
const frameHeadBytes = 24;
/** Its lowest bit says in which order of bytes the sums are computed. */
const magic = 0x377f0682;

export interface WalReader {
  /**
   * Returns what was committed since the last call; null if that is nothing. @throws Error if the log is no log
   * of SQLite.
   */
  next(): PageCommit | null;
  close(): void;
}

/** The two sums that each frame continues; a frame that does not was left by a transaction that was not committed. */
type Sums = readonly [number, number];

function sumsAfter([first, second]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let s0 = first;
  let s1 = second;
  for (let at = 0; at < bytes.length; at += 8) {
    s0 = (s0 + words.getUint32(at, !isBigEndian) + s1) >>> 0;
    s1 = (s1 + words.getUint32(at + 4, !isBigEndian) + s0) >>> 0;
  }
  return [s0, s1];
}

const isSameAs = ([s0, s1]: Sums, bytes: Buffer, at: number): boolean =>
  s0 === bytes.readUInt32BE(at) && s1 === bytes.readUInt32BE(at + 4);

interface Log {
  /** Changes whenever SQLite begins the log anew. */
  salt: string;
  pageBytes: number;
  isBigEndian: boolean;
  /** The begin of the next commit, and the sums that its frames continue. */
  end: number;
  sums: Sums;
}

/** @throws Error if the header is not one of SQLite. */
function logOf(header: Buffer): Log {
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  const sums = sumsAfter([0, 0], header.subarray(0, 24), isBigEndian);
  const salt = header.toString('hex', 16, 24);
  if ((header.readUInt32BE(0) & ~1) >>> 0 !== magic || !isSameAs(sums, header, 24))
    throw new Error("the header of SQLite's log is damaged");
  return { salt, pageBytes: header.readUInt32BE(8), isBigEndian, end: headerBytes, sums };
}

/** `file`: the store. Its log must hold only what somebody else has read, or nothing. */
export function openWal(file: string): WalReader {
  let fd: number | null = null;
  let log: Log | null = null;

  function isRead(log: Log, frame: Buffer, at: number): boolean {
    return (
      readSync(fd as number, frame, 0, frame.length, at) === frame.length &&
      frame.toString('hex', 8, 16) === log.salt
    );
  }

  /** Returns what the log holds behind `log.end`, up to its last commit, and moves `log.end` there. */
  function commitIn(log: Log): PageCommit | null {
    const changed = new Map<number, Buffer>();
    const uncommitted = new Map<number, Buffer>();
    const frameBytes = frameHeadBytes + log.pageBytes;
    let { sums } = log;
    let pages = 0;
    for (let at = log.end; ; at += frameBytes) {
      const frame = Buffer.allocUnsafe(frameBytes);
      if (!isRead(log, frame, at)) break;
      const page = frame.subarray(frameHeadBytes);
      sums = sumsAfter(sumsAfter(sums, frame.subarray(0, 8), log.isBigEndian), page, log.isBigEndian);
      if (!isSameAs(sums, frame, 16)) break;
      uncommitted.set(frame.readUInt32BE(0), page);
      const pagesAfter = frame.readUInt32BE(4);
      if (pagesAfter === 0) continue;
      for (const [number, bytes] of uncommitted) changed.set(number, bytes);
      uncommitted.clear();
      pages = pagesAfter;
      log.end = at + frameBytes;
      log.sums = sums;
    }
    // A transaction may shrink the store after it changed its last pages.
    for (const number of changed.keys()) if (number > pages) changed.delete(number);
    return pages === 0 ? null : { pageBytes: log.pageBytes, pages, changed };
  }

  return {
    next() {
      fd ??= openSync(`${file}-wal`, 'r');
      const header = Buffer.alloc(headerBytes);
      if (readSync(fd, header, 0, headerBytes, 0) < headerBytes) return null;
      const present = logOf(header);
      if (log?.salt !== present.salt) log = present;
      return commitIn(log);
    },
    close() {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}
