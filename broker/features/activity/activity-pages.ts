/**
 * Stored rows as the bytes that are sent: JSON for the range query, and frames for the streams. The text of
 * an event is never parsed again.
 */

/** `event` is JSON in UTF-8. */
export interface StoredRow {
  id: number;
  member: string;
  created_at: number;
  event: Buffer;
}

const closing = Buffer.from('}');
const comma = Buffer.from(',');
const frameEnd = Buffer.from('\n\n');

/** One ActivityRow (specification/activity.md#events). */
function rowParts({ id, member, created_at, event }: StoredRow): Buffer[] {
  const head = `{"id":${id},"memberName":${JSON.stringify(member)},"createdAt":${created_at},"event":`;
  return [Buffer.from(head), event, closing];
}

/** In memory of its own, so that it can be moved to another thread. */
function joined(parts: readonly Buffer[], size: number): ArrayBuffer {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}

export interface RowsPage {
  /** Rows of JSON, separated by commas. */
  bytes: ArrayBuffer;
}

/** Adds rows until they reach `maxBytes`, at least one. Returns how many were added. */
export function rowsPage(
  rows: Iterable<StoredRow | undefined>,
  maxBytes: number,
): RowsPage & { taken: number } {
  const parts: Buffer[] = [];
  let size = 0;
  let taken = 0;
  for (const row of rows) {
    taken += 1;
    if (row === undefined) continue;
    const added = parts.length === 0 ? rowParts(row) : [comma, ...rowParts(row)];
    for (const part of added) size += part.length;
    parts.push(...added);
    if (size >= maxBytes) break;
  }
  return { bytes: joined(parts, size), taken };
}

export interface FramesPage {
  /** Frames of a stream, one after another (specification/streams.md#activity-streams). */
  bytes: ArrayBuffer;
  /** The row of each frame, and where its frame ends in `bytes`. */
  frames: { id: number; end: number }[];
  isLast: boolean;
}

export function framesPage(rows: Iterable<StoredRow>, maxBytes: number): FramesPage {
  const parts: Buffer[] = [];
  const frames: FramesPage['frames'] = [];
  let size = 0;
  let isLast = true;
  for (const row of rows) {
    const added = [Buffer.from(`id: ${row.id}\nevent: activity\ndata: `), ...rowParts(row), frameEnd];
    for (const part of added) size += part.length;
    parts.push(...added);
    frames.push({ id: row.id, end: size });
    isLast = size < maxBytes;
    if (!isLast) break;
  }
  return { bytes: joined(parts, size), frames, isLast };
}

/** Frames of texts that are in memory. `event` names each of them. */
export function framesOf(
  items: readonly { id: number; data: Buffer }[],
  event: string,
  isLast: boolean,
): FramesPage {
  const parts: Buffer[] = [];
  const frames: FramesPage['frames'] = [];
  let size = 0;
  for (const { id, data } of items) {
    const added = [Buffer.from(`id: ${id}\nevent: ${event}\ndata: `), data, frameEnd];
    for (const part of added) size += part.length;
    parts.push(...added);
    frames.push({ id, end: size });
  }
  return { bytes: joined(parts, size), frames, isLast };
}
