/**
 * A broker that stands by: it keeps its copies of the stores equal to the log, and takes the lease when nobody confirmed
 * it lately (docs/decisions/0068-one-active-broker.md). Its stores are closed meanwhile, because pages are written in place.
 */
import { statSync } from 'node:fs';
import { codeOf, reasonOf } from '#platform/error-text.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { sentenceOf } from './database-sentence.ts';
import { type Moment, momentNow } from './lease.ts';
import { unpacked } from './page-commit.ts';
import {
  connectPageLog,
  type LogEnd,
  type PageLog,
  type PageLogOptions,
  type StoreLog,
  UnreadableEntry,
} from './page-log.ts';
import { openCopy, type StoreCopy } from './store-copy.ts';

export interface Followed {
  store: string;
  file: string;
  /** The newest schema that this version of Muster can open. */
  schema: number;
}

export interface FollowOptions extends PageLogOptions {
  /** Names the place of the key on this machine, for people; by default, the environment. */
  keyPlace?: string;
  stores: readonly Followed[];
  /** This broker has a team of its own: it may be the first one, and fill a log that is empty. */
  mayBegin: boolean;
  /** Called before a store is copied. @throws StartUpError if the files of another team would be replaced. */
  refuseOther?: (log: PageLog) => Promise<void>;
  /** Makes the small files on disk the same as in the database. */
  placeFiles: (log: PageLog) => Promise<void>;
  /** Called with the reason when this broker cannot follow, and with null when it does. */
  onFault: (reason: string | null) => void;
  /** Called after each look at the database: whether it has the whole team, or this broker may bring it. */
  onTeam?: ((isThere: boolean) => void) | undefined;
  signal: AbortSignal;
}

/** The lease, and the end of the log of each store; null where there is none yet. */
export interface Taken {
  epoch: number;
  /** Before the lease was taken. */
  takenAt: Moment;
  logs: Readonly<Record<string, LogEnd | null>>;
}

/** The active broker ships its store anew; if there is none, this broker takes the lease, and then does so. */
const lostTail =
  'the database lost what it had confirmed: this machine has more than it, and writes it anew if no other broker does';

const noTeamYet = 'the database does not have the whole team yet';
const fullDisk = 'the disk of this machine is full; free space on it, so that the machine can take over';

/** Unless the database says sooner that there is more. */
const lookMs = 500;
const retryMs = 500;

/**
 * Resolves when this broker is the active one and its files have everything; null when it was told to stop.
 * @throws StartUpError if the database must not be used, or if a file has something that the database does not have.
 */
export async function follow(options: FollowOptions): Promise<Taken | null> {
  const { signal, onFault } = options;
  const copies = createCopies(options);
  let hasRead = false;
  const connection: { log: PageLog | null } = { log: null };
  let wake = (): void => undefined;
  signal.addEventListener('abort', () => wake());
  /** Ends early when there is more, or when this broker is told to stop. */
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function connected(): Promise<PageLog> {
    if (connection.log !== null && !connection.log.isLost) return connection.log;
    const log = await connectPageLog(options).catch((error: unknown) => {
      throw error instanceof StartUpError ? error : new Error(sentenceOf(error), { cause: error });
    });
    connection.log = log;
    await log.prepare();
    await log.onMore(() => wake());
    return log;
  }

  async function tryToTake(): Promise<Taken | null> {
    const log = await connected();
    const fault = await copies.catchUp(log);
    hasRead = true;
    const obstacle = copies.obstacle();
    onFault(obstacle ?? fault);
    options.onTeam?.(obstacle !== noTeamYet);
    if (obstacle !== null) return null;
    const takenAt = momentNow();
    const epoch = await log.take();
    if (epoch === null) return null;
    // Nobody else appends anymore.
    await copies.catchUp(log);
    const lateObstacle = copies.obstacle();
    if (lateObstacle === null) return { epoch, takenAt, logs: copies.ends() };
    // Another broker was active since the first look.
    onFault(lateObstacle);
    await log.release(epoch);
    return null;
  }

  function disconnect(): void {
    connection.log?.end();
    connection.log = null;
  }

  try {
    while (!signal.aborted) {
      try {
        const taken = await tryToTake();
        if (taken !== null) return taken;
        await rest(lookMs);
      } catch (error) {
        if (error instanceof StartUpError) throw error;
        if (error instanceof UnreadableEntry && !hasRead)
          throw new StartUpError(
            `${error.message}; ${options.keyPlace ?? 'SVC_KEK'} must be the same on each machine`,
          );
        onFault(codeOf(error) === 'ENOSPC' ? fullDisk : reasonOf(error));
        disconnect();
        await rest(retryMs);
      }
    }
    return null;
  } finally {
    disconnect();
    copies.close();
  }
}

function createCopies({ stores, mayBegin, refuseOther, placeFiles }: FollowOptions) {
  /** Those of which the log has everything: before, the file may be all that there is of a store. */
  const copies = new Map<string, StoreCopy>();
  const isThere = ({ file }: Followed) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

  /** @throws StartUpError if the log went on without something that the copy has. */
  async function copyAll(log: PageLog, store: string, copy: StoreCopy, end: StoreLog): Promise<void> {
    if (copy.end.id !== end.id)
      throw new StartUpError('the team in the database was replaced; start again', 75);
    if (copy.end.pos > 0 && !(await log.holds(store, copy.end)))
      throw new StartUpError(
        `the database that the machines share lost what it had confirmed, and another broker went on without it; this machine still has it in the file of the store "${store}": move that file and its -wal file to another folder, and start again`,
      );
    for (;;) {
      const entries = await log.entriesAfter(store, copy.end.pos);
      if (entries.length === 0 && copy.end.pos >= end.pos) return;
      // It is in the pages already, or was lost.
      if (entries[0]?.pos !== copy.end.pos + 1)
        copy.reach(await log.pagesAfter(store, copy.end.pos, copy.write));
      for (const { pos, epoch, body } of entries) {
        if (pos !== copy.end.pos + 1) break;
        copy.write(unpacked(body));
        copy.reach({ id: end.id, pos, epoch });
      }
    }
  }

  return {
    /** Returns what is wrong with the database although this broker may take the lease; null if nothing is. */
    async catchUp(log: PageLog): Promise<string | null> {
      await refuseOther?.(log);
      const logs = await log.completeLogs();
      let fault: string | null = null;
      for (const { store, file } of stores) {
        const end = logs.get(store);
        const present = copies.get(store);
        if (end === undefined && present === undefined) continue;
        const copy = present ?? openCopy(file, end?.id ?? '');
        copies.set(store, copy);
        if (end === undefined || copy.end.pos > end.pos) fault = lostTail;
        else await copyAll(log, store, copy, end);
      }
      // This machine's own are newer then.
      if (fault === null) await placeFiles(log);
      return fault;
    },
    /**
     * Why this broker must not take the lease; null if it can serve the team: from the log, or as the first one, from its
     * own files.
     */
    obstacle(): string | null {
      if (stores.some(({ store, schema }) => (copies.get(store)?.schema() ?? 0) > schema))
        return 'a newer version of Muster wrote the stores; update Muster on this machine, so that it can take over';
      const missing = stores.filter(({ store }) => !copies.has(store));
      if (missing.length === 0 || (mayBegin && (copies.size === 0 || missing.every(isThere)))) return null;
      return noTeamYet;
    },
    ends: (): Taken['logs'] =>
      Object.fromEntries(
        stores.map(({ store }) => {
          return [store, copies.get(store)?.end ?? null];
        }),
      ),
    close(): void {
      for (const copy of copies.values()) copy.close();
    },
  };
}
