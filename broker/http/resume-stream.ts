/**
 * A stream's way from its cursor to live: its backlog, then what arrived meanwhile without what it has
 * already seen. No gap and no repeat (specification/streams.md#resuming).
 */
import { limits } from '#protocol/limits.ts';
import type { FairQueue } from '../runtime/fair-queue.ts';
import { type Entry, isOverfull, type LiveStream, moveTo, type Page } from './live-stream.ts';
import { asChunk } from './sse.ts';

const pageSize = 100;

/**
 * Resolves when the stream is live or has ended. A page is read in the reader's turn, which lasts until the
 * page has been taken, so that not all streams hold one at the same time; but readers that take nothing keep
 * their turns from the others only for a while. @throws what reading its backlog throws.
 */
export async function resumeStream(stream: LiveStream, turns: FairQueue): Promise<void> {
  stream.state = 'resuming';
  // Until its turn, it holds nothing back: everything is in the store.
  stream.tail = null;
  while (stream.state === 'resuming') {
    let taken = Promise.resolve();
    await turns.run(stream.reader ?? stream.key, async () => {
      await sendPage(stream);
      if (stream.state !== 'resuming') return;
      taken = stream.sink.drained();
      await forAtMost(limits.stream.takeMs, taken);
    });
    await taken;
  }
}

async function forAtMost(ms: number, work: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

async function sendPage(stream: LiveStream): Promise<void> {
  if (stream.state !== 'resuming') return;
  stream.tail = [];
  stream.tailBytes = 0;
  const answer = await stream.backlog(stream.position, pageSize);
  if (stream.state !== 'resuming') return;
  const page: Page = Array.isArray(answer) ? { entries: answer, isLast: answer.length < pageSize } : answer;
  stream.withheld.push(...(page.withheld ?? []));
  const isLastPage = page.isLast && stream.tail !== null;
  const lastRead = page.entries.at(-1)?.position ?? stream.position;
  const held = isLastPage ? (stream.tail ?? []).filter(({ position }) => position > lastRead) : [];
  stream.tail = null;
  write(stream, page.entries, page.chunk);
  write(stream, held);
  // A long backlog that is still being read is no reason to disconnect; the stream goes live when it has been
  // taken.
  if (isLastPage && !isOverfull(stream)) stream.state = 'live';
}

function write(stream: LiveStream, entries: readonly Entry[], chunk?: Buffer): void {
  const last = entries.at(-1);
  if (last === undefined) return;
  stream.sink.write(chunk ?? asChunk(entries.map(({ frame }) => frame)));
  moveTo(stream, last.position);
}
