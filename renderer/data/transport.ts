/**
 * How the console reaches the broker: fetch and EventSource in a browser, typed IPC in the desktop window
 * (specification/console.md#stack).
 */
import type { Send } from '#protocol/client.ts';

export interface LiveEvent {
  /** `message`, `ready`, `reset`, `receipt`, `receipts`, `presence`, `change`. */
  event: string;
  data: string;
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

export interface Transport {
  readonly kind: 'browser' | 'desktop';
  /** The origin of the page, for commands that name the broker's address. */
  readonly origin: string;
  send: Send;
  /** Returns a function that closes the stream. */
  open(request: LiveRequest): () => void;
  /** Returns the URL from which the page can load the bytes of a file. */
  fileUrl(path: string): string;
  /** Writes a file; `onProgress` gets values from 0 to 1. */
  upload(
    url: string,
    body: Blob,
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ): Promise<{ status: number; body: string }>;
}
