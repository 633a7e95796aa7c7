/**
 * Appends lines to one new file. A line is in the file when `write` returns; it is synced within a second,
 * and when writing ends.
 */
import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';

export interface SegmentWriter {
  /** The size of its whole lines, in bytes. */
  readonly size: number;
  /** False once half a line may be at its end: then nothing more may follow. */
  readonly isSound: boolean;
  /** @throws the system's error, with the file as before if possible. */
  write(line: Buffer): void;
  end(): void;
}

const syncMs = 1000;

/** @throws the system's error if the file cannot be created. */
export function openSegmentWriter(path: string): SegmentWriter {
  const file = openSync(path, 'ax', 0o600);
  let size = 0;
  let isSound = true;
  let isEnded = false;
  let syncing: NodeJS.Timeout | null = null;
  return {
    get size() {
      return size;
    },
    get isSound() {
      return isSound;
    },
    write(line) {
      try {
        for (let at = 0; at < line.length; ) at += writeSync(file, line, at);
      } catch (error) {
        isSound = false;
        ftruncateSync(file, size);
        isSound = true;
        throw error;
      }
      size += line.length;
      syncing ??= setTimeout(() => {
        syncing = null;
        fdatasync(file, () => undefined);
      }, syncMs).unref();
    },
    end() {
      if (isEnded) return;
      isEnded = true;
      if (syncing !== null) clearTimeout(syncing);
      try {
        fdatasyncSync(file);
      } catch {
        // Data that could not be synced is still in the file, as long as the machine runs.
      }
      closeSync(file);
    },
  };
}
