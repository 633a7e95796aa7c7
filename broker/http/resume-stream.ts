/**
 * A stream's way from its cursor to live: its backlog, then what arrived meanwhile without what it has
 * already seen. No gap and no repeat (specification/streams.md#resuming).
 */
import { isOverfull, type LiveStream, moveTo } from './live-stream.ts';
import { asChunk } from './sse.ts';

const pageSize = 100;

/** Resolves when the stream is live or has ended. @throws what reading its backlog throws. */
export async function resumeStream(stream: LiveStream): Promise<void> {
  stream.state = 'resuming';
  while (stream.state === 'resuming') {
    stream.tail = [];
    stream.tailBytes = 0;
    const answer = await stream.backlog(stream.position, pageSize);
    if (stream.state !== 'resuming') return;
    const page = Array.isArray(answer) ? answer : answer.entries;
    const isLast = Array.isArray(answer) ? page.length < pageSize : answer.isLast;
    if (!Array.isArray(answer)) stream.withheld.push(...(answer.withheld ?? []));
    const isLastPage = isLast && stream.tail !== null;
    const lastRead = page.at(-1)?.position ?? stream.position;
    const entries = isLastPage
      ? [...page, ...(stream.tail ?? []).filter((entry) => entry.position > lastRead)]
      : page;
    if (entries.length > 0) stream.sink.write(asChunk(entries.map((entry) => entry.frame)));
    moveTo(stream, entries.at(-1)?.position ?? stream.position);
    // A long backlog that is still being read is no reason to disconnect; the stream goes live when it has
    // been taken.
    if (isLastPage && !isOverfull(stream)) {
      stream.state = 'live';
      stream.tail = null;
      return;
    }
    await stream.sink.drained();
  }
}
