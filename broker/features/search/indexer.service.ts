/**
 * Fills the index after the reply, in short turns that share the writer with everything else: a post never
 * waits for more than one turn, and a burst is indexed when it is over (specification/search.md#index).
 */
import { isRefusedFor } from '#protocol/errors.ts';
import { memberChanges } from '../../config/member-changes.rules.ts';
import type { Members } from '../members/members.service.ts';
import type { IndexUnits } from './search-index.sqlite.ts';

export interface Indexer {
  /** Everything up to this position of a message was committed. Returns at once. */
  wake(position: number): void;
  /**
   * Resolves when everything committed so far is indexed, or after a moment, or at once if that would not be enough,
   * because a search does not wait for a long history.
   */
  caughtUp(): Promise<void>;
  /** Keeps that the full-text index is damaged. From then on, only mentions are found in new messages. */
  noteDamage(): Promise<void>;
  /** Resolves when no turn is in progress. */
  stop(): Promise<void>;
}

export interface IndexerDeps {
  units: IndexUnits;
  members: Members;
  onError: (error: unknown) => void;
  /** Called once the full-text index is known to be damaged. */
  onDamage: () => void;
  /** Returns the elapsed ms. */
  stopwatch?: () => number;
}

/**
 * A turn takes a few milliseconds, for which a post waits that comes in the meantime; one text of the longest
 * kind takes about four.
 */
const perTurn = { limit: 25, characters: 16_384 };
/** Posts within this time share a turn. */
const gatherMs = 50;
/** How many times as long as a turn took the next one waits while others post, so that they get most of the writer. */
const restFactor = 4;
const catchUpTimeoutMs = 1500;
/** So few messages are waited for, however long the last turn took: it may have waited for the machine. */
const fewMessages = 200;

/** A caller that waits until what was committed before it is indexed. */
interface Seeker {
  commit: number;
  position: number;
  resolve: () => void;
}

const nameOf = ({ name }: { name: string }): string => name;

export function createIndexer({
  units,
  members,
  onError,
  onDamage,
  stopwatch = () => performance.now(),
}: IndexerDeps): Indexer {
  /** Counts commits; a turn that begins after one covers it. */
  let wanted = 0;
  let covered = 0;
  /** The newest message that is committed, and the newest one that is indexed. */
  let newest = 0;
  let indexed = 0;
  /** How long a message took in the last turn, with a rest as long as the turn. */
  let msPerMessage = 0;
  /** Older messages wait to be indexed again; nobody waits for them. */
  let hasOlder = false;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let endPause: (() => void) | null = null;
  let isStopped = false;
  const seekers = new Set<Seeker>();
  /** The members that the store knows. */
  let sent: ReturnType<Members['all']> = [];
  /** Names that the store may know, because a turn failed; it is told again who is present. */
  const unsure = new Set<string>();

  const isDone = (): boolean => covered === wanted && !hasOlder;

  async function takeTurn(): Promise<void> {
    const before = wanted;
    const startedAt = stopwatch();
    const present = members.all();
    const { left, entered } = memberChanges(sent, present);
    const filled = await units
      .fillIndex({ left: [...unsure, ...left.map(nameOf)], joined: entered.map(nameOf), ...perTurn })
      .catch((error: unknown) => {
        for (const { name } of [...sent, ...present]) unsure.add(name);
        sent = [];
        throw error;
      });
    unsure.clear();
    const { isComplete, upTo, isDamaged } = filled;
    if (isDamaged) onDamage();
    const tookMs = stopwatch() - startedAt;
    if (upTo > indexed) msPerMessage = (2 * tookMs) / (upTo - indexed);
    indexed = upTo;
    hasOlder = filled.hasOlder;
    sent = present;
    if (isComplete) covered = before;
    for (const { commit, position, resolve } of seekers)
      if (commit <= covered || (filled.hasAllObjectives && position <= indexed)) resolve();
    if (isDone()) return;
    // A caller that waits for the index justifies shorter rests, but must not take all of the writer from others.
    if (seekers.size > 0) await pause(tookMs);
    else if (isComplete && !hasOlder) await pause(gatherMs, true);
    else await pause(wanted > before ? restFactor * tookMs : tookMs, true);
  }

  /** `mayEnd`: whether a caller that comes ends it. */
  function pause(ms: number, mayEnd = false): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(over);
        endPause = null;
        resolve();
      };
      const over = setTimeout(end, ms);
      if (mayEnd) endPause = end;
    });
  }

  /** Mentions are found without the words. @throws the error of a turn that fails for another reason, or again. */
  async function withoutWords(error: unknown): Promise<void> {
    if (!isRefusedFor(error, 'store_damaged')) throw error;
    await units.noteIndexDamage();
    await takeTurn();
  }

  /** A turn that fails leaves the rest to the next wake. */
  async function fill(): Promise<void> {
    try {
      while (!isStopped && !isDone()) await takeTurn().catch(withoutWords);
    } catch (error) {
      onError(error);
    } finally {
      // In the same step as the last look at `wanted`, so that no wake is lost in between.
      running = null;
      for (const { resolve } of seekers) resolve();
    }
  }

  function run(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    endPause?.();
    if (!isStopped && !isDone()) running ??= fill();
  }

  return {
    wake(position) {
      wanted += 1;
      newest = Math.max(newest, position);
      if (running === null && timer === null && !isStopped) timer = setTimeout(run, gatherMs).unref();
    },
    async caughtUp() {
      if (covered >= wanted || isStopped) return;
      const left = newest - indexed;
      if (left > fewMessages && left * msPerMessage > catchUpTimeoutMs) return;
      await new Promise<void>((resolve) => {
        const patience = setTimeout(() => seeker.resolve(), catchUpTimeoutMs);
        const seeker: Seeker = {
          commit: wanted,
          position: newest,
          resolve() {
            clearTimeout(patience);
            seekers.delete(seeker);
            resolve();
          },
        };
        seekers.add(seeker);
        run();
      });
    },
    noteDamage: () => units.noteIndexDamage().then(onDamage),
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      endPause?.();
      await running;
    },
  };
}
