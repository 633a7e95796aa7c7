/**
 * How the console reaches the broker: fetch and EventSource in a browser, typed IPC in the desktop window. Everything above is the same app
 * (design "Renderer and security").
 */
import type { Send } from '#protocol/client.ts';

export interface LiveEvent {
  /** `message`, `ready`, `reset`, `receipt`, `presence`, `change`. */
  event: string;
  data: string;
}

export type LiveState = 'connecting' | 'open' | 'lost' | 'refused';

export interface LiveRequest {
  /** Path and query; the stream resumes by itself after an interruption. */
  url: string;
  events: readonly string[];
  onEvent(event: LiveEvent): void;
  /** `refused`: another try cannot mend it, the session has ended. */
  onState(state: LiveState): void;
}

export interface Transport {
  readonly kind: 'browser' | 'desktop';
  /** Of the page, for commands that name the broker's address. */
  readonly origin: string;
  send: Send;
  /** Answers the function that closes it. */
  open(request: LiveRequest): () => void;
  /** Where a file's bytes can be loaded from by the page itself. */
  fileUrl(path: string): string;
  /** Writes a file with progress from 0 to 1. */
  upload(
    url: string,
    body: Blob,
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ): Promise<{ status: number; body: string }>;
}
