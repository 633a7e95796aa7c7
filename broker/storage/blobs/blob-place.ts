/** The place of contents, a folder or a bucket: everything that a blob store knows of it. */
import type { Content } from './receive-blob.ts';
import type { KnownMark } from './shared-mark.ts';

export interface OpenBlob {
  /**
   * Fills `into` from `position` on. Returns the number of bytes, at least one. @throws BrokerError
   * unavailable.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

/** Returns those of the hashes that no entry refers to at that moment. */
export type Unreferenced = (hashes: string[]) => Promise<string[]>;

export interface PlaceOwner {
  storeId: string;
  /** False for a store in memory, which owns nothing after it ends. */
  isOnDisk: boolean;
  /** Other machines use the place when this one is not the active one; null if none does. */
  sharedMark: KnownMark | null;
}

/** Methods throw errors of the system, with a code. The caller runs them for one hash at a time. */
export interface BlobPlace {
  /** Whether each step may take seconds, so that nobody should wait for a removal. */
  isRemote: boolean;
  /** A private folder of this machine for bytes that are arriving. */
  incoming: string;
  /** Makes the file at `received` the content of this hash, durable when it resolves. The file may be left. */
  put(received: string, content: Content): Promise<void>;
  /** Null if there are no such bytes. */
  open(hash: string): Promise<OpenContent | null>;
  /** Removes bytes that nothing refers to. */
  remove(hash: string): Promise<void>;
  /** Whether a backup needs what is here at this moment. */
  isHeld(): Promise<boolean>;
  /** Deletes what was removed a while ago. Called often; returns at once if it is too early. */
  tidy(): Promise<void>;
  /** Yields the hashes of all contents, in parts. */
  listed(): AsyncIterable<string[]>;
  /** Ends what is under way. */
  close(): void;
}

export interface OpenContent extends OpenBlob {
  /** Bytes. */
  size: number;
  /** Returns 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
}
