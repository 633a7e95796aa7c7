/**
 * How the console reaches the broker: fetch in a browser, typed IPC in the desktop window
 * (specification/console.md#stack).
 */
import type { Send } from '#protocol/client.ts';

/** There is no connection to the broker, or it broke. */
export class Unreachable extends Error {
  constructor(options: ErrorOptions) {
    super('The broker cannot be reached. Check the network, and that the broker is running.', options);
  }
}

export interface LiveEvent {
  /** `message`, `ready`, `reset`, `receipt`, `receipts`, `presence`, `change`; and `gap` if events may have been missed. */
  event: string;
  data: string;
  /** The place of the event in the stream, if it has one. */
  id?: string;
}

export type LiveState = 'connecting' | 'open' | 'lost' | 'refused';

export interface LiveRequest {
  /** Path and query; the stream resumes by itself after an interruption. */
  url: string;
  events: readonly string[];
  onEvent(event: LiveEvent): void;
  /** `refused` is final: the session has ended. */
  onState(state: LiveState): void;
}

/** The secret of the session that this page's origin opened. */
export interface SessionProof {
  /** Undefined if the broker binds no sessions. */
  keep(secret: string | undefined): void;
  forget(): void;
}

export interface Transport {
  readonly kind: 'browser' | 'desktop';
  /** The origin of the page, for commands that name the broker's address. */
  readonly origin: string;
  send: Send;
  /** Returns a function that closes the stream. */
  open(request: LiveRequest): () => void;
  /** How this page proves that its session is its own (ADR 0029); null if another process holds the session. */
  readonly session: SessionProof | null;
  /** Returns the URL of a file's bytes, for `send`. A link to it would come without the proof. */
  fileUrl(path: string): string;
  /** Reads a whole file; `onProgress` gets values from 0 to 1. @throws Error with a message for the person. */
  readFile(path: string, onProgress: (done: number) => void, signal: AbortSignal): Promise<Blob>;
  /** Writes a file; `onProgress` gets values from 0 to 1. */
  upload(
    url: string,
    body: Blob,
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ): Promise<{ status: number; body: string }>;
}
