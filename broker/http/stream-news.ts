/**
 * Passing news: frames without a position, sent to the open streams that take them and stored for nobody
 * (specification/streams.md#news).
 */
import { type Audience, isOverfull, type LiveStream } from './live-stream.ts';
import { asChunk } from './sse.ts';

/** News that arrives together is written together. */
const pauseMs = 20;

export interface StreamNews {
  add(stream: LiveStream): void;
  remove(stream: LiveStream): void;
  announce(frame: Buffer, audience: Audience): void;
}

/** `cut` ends a stream whose reader does not keep up. */
export function createStreamNews({ cut }: { cut: (stream: LiveStream) => void }): StreamNews {
  const takers = new Set<LiveStream>();
  let news: { frame: Buffer; audience: Audience }[] = [];

  function write(): void {
    const announced = news;
    news = [];
    for (const stream of takers) {
      const frames = announced
        .filter(({ audience }) => audience === 'everyone' || audience.includes(stream.key))
        .map(({ frame }) => frame);
      if (frames.length === 0) continue;
      if (isOverfull(stream)) cut(stream);
      else stream.sink.write(asChunk(frames));
    }
  }

  return {
    add: (stream) => void takers.add(stream),
    remove: (stream) => void takers.delete(stream),
    announce(frame, audience) {
      if (takers.size === 0) return;
      if (news.length === 0) setTimeout(write, pauseMs).unref();
      news.push({ frame, audience });
    },
  };
}
