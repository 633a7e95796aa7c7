/**
 * Converts the bytes of a live stream to frames, as the HTML standard reads server-sent events
 * (specification/streams.md#subscribe).
 */
import { createParser } from 'eventsource-parser';

export interface Frame {
  event: string;
  data: string;
  /** The cursor of a message. */
  id: string | undefined;
}

export interface FrameReader {
  /** Returns the frames that these bytes complete. @throws Error if one frame exceeds 4 MiB. */
  read(bytes: Uint8Array): Frame[];
  /** The broker's last `retry:`, in ms. */
  readonly retryMs: number | undefined;
}

/** Four times the largest message as JSON. */
const maxBufferSize = 4 * 1024 * 1024;

/** For one connection; another connection needs another reader. */
export function createFrameReader(): FrameReader {
  const decoder = new TextDecoder();
  let frames: Frame[] = [];
  let retryMs: number | undefined;
  let failure: Error | undefined;
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ event, data, id }) => frames.push({ event: event ?? 'message', data, id }),
    onRetry: (ms) => {
      retryMs = ms;
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') failure = error;
    },
  });
  return {
    read(bytes) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      if (failure !== undefined) throw failure;
      const read = frames;
      frames = [];
      return read;
    },
    get retryMs() {
      return retryMs;
    },
  };
}
