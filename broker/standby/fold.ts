/**
 * The log of standbys does not grow without bound: the active broker puts pages in the place of older entries
 * (docs/decisions/0068-one-active-broker.md). It reads the entries from the database, on a connection of its own, and writes
 * nothing that another broker could not write as well.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '#platform/error-text.ts';
import { type PageCommit, unpacked } from './page-commit.ts';
import { connectPageLog, type Fold, type PageLog, type PageLogOptions, type StoreLog } from './page-log.ts';

/** A standby that is a moment late still finds the entries, which are less than the pages. */
export const keptEntries = 100;
/** The limits of one fold. */
const foldedEntries = 500;
const foldedBytes = 32 * 1024 * 1024;
const everyMs = 1000;
/** To remove the pages of a store that shrank takes the database long. */
const patienceMs = 60_000;

/** Applies entries to the pages before them. */
function createFold({ id, folded: from, pages }: StoreLog) {
  const changed = new Map<number, Uint8Array>();
  const fold = { id, from, pos: from, pages, pageBytes: 0, fewestPages: pages };
  return {
    get pos() {
      return fold.pos;
    },
    get bytes() {
      return changed.size * fold.pageBytes;
    },
    add(pos: number, commit: PageCommit): void {
      const { pageBytes, pages } = commit;
      for (const page of changed.keys()) if (page > pages) changed.delete(page);
      // A page that SQLite adds without writing it is empty in every copy.
      const empty = new Uint8Array(pageBytes);
      for (let page = fold.pages + 1; page <= pages; page += 1) changed.set(page, empty);
      for (const [page, bytes] of commit.changed) changed.set(page, bytes);
      Object.assign(fold, { pos, pages, pageBytes, fewestPages: Math.min(fold.fewestPages, pages) });
    },
    result: (): Fold => ({ ...fold, changed }),
  };
}

/** Folds what is old, if that is much. Returns whether it did. @throws Error; then nothing was changed. */
export async function foldOnce(log: PageLog, store: string): Promise<boolean> {
  const end = (await log.completeLogs()).get(store);
  if (end === undefined || end.pos - end.folded < 2 * keptEntries) return false;
  const until = Math.min(end.pos - keptEntries, end.folded + foldedEntries);
  const fold = createFold(end);
  while (fold.pos < until && fold.bytes < foldedBytes) {
    const entries = await log.entriesAfter(store, fold.pos);
    for (const { pos, body } of entries) {
      if (fold.pos >= until || fold.bytes >= foldedBytes) break;
      // Another broker folded it meanwhile.
      if (pos !== fold.pos + 1) return false;
      fold.add(pos, unpacked(body));
    }
    if (entries.length === 0) return false;
  }
  return log.fold(store, fold.result());
}

export interface FoldOptions extends PageLogOptions {
  stores: readonly string[];
  /** Called with the reason when the log cannot be folded, and with null when it can be. */
  onFault: (reason: string | null) => void;
  signal: AbortSignal;
}

/** Folds until it is told to stop. Its work takes a processor for moments: run it on no thread that somebody waits for. */
export async function keepFolded({ stores, onFault, signal, ...options }: FoldOptions): Promise<void> {
  let log: PageLog | null = null;
  while (!signal.aborted) {
    let isDone = true;
    try {
      if (log === null || log.isLost) log = await connectPageLog({ ...options, requestMs: patienceMs });
      for (const store of stores) if (await foldOnce(log, store)) isDone = false;
      onFault(null);
    } catch (error) {
      onFault(reasonOf(error));
      log?.end();
      log = null;
    }
    if (isDone) await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
  log?.end();
}
