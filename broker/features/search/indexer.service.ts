/**
 * Fills the index after the reply, in short turns that share the writer with everything else: a post never
 * waits for more than one turn, and a burst is indexed when it is over (specification/search.md#index).
 */
import type { Members } from '../members/members.service.ts';
import type { SearchUnits } from './search.sqlite.ts';

export interface Indexer {
  /** A message or objective was committed. Returns at once. */
  wake(): void;
  /**
   * Resolves when everything committed so far is indexed, or after a moment, because a search does not wait
   * for a long history.
   */
  caughtUp(): Promise<void>;
  /** Resolves when no turn is in progress. */
  stop(): Promise<void>;
}

export interface IndexerDeps {
  units: Pick<SearchUnits, 'fillIndex'>;
  members: Members;
  onError: (error: unknown) => void;
}

const perTurn = 100;
const pauseMs = 50;
const catchUpTimeoutMs = 1500;

export function createIndexer({ units, members, onError }: IndexerDeps): Indexer {
  /** Counts commits; a turn that begins after one covers it. */
  let wanted = 0;
  let covered = 0;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isStopped = false;
  let hurried = false;

  async function fill(): Promise<void> {
    while (!isStopped && covered < wanted) {
      const before = wanted;
      const turn = { members: members.teammates().map(({ name }) => name), limit: perTurn };
      const { isComplete } = await units.fillIndex(turn);
      if (isComplete) covered = before;
      // Others go first while they post; a caller that waits for the index justifies a series of short turns.
      else if (!hurried) await new Promise((resolve) => setTimeout(resolve, wanted > before ? pauseMs : 0));
    }
  }

  function run(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    running ??= fill()
      .catch(onError)
      .finally(() => {
        running = null;
      });
    return running;
  }

  return {
    wake() {
      wanted += 1;
      if (running === null && timer === null && !isStopped) timer = setTimeout(run, pauseMs).unref();
    },
    async caughtUp() {
      const goal = wanted;
      if (covered >= goal) return;
      hurried = true;
      let patience: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        patience = setTimeout(resolve, catchUpTimeoutMs);
      });
      const ready = (async () => {
        // A run that failed leaves the rest to the next wake.
        for (let left = 2; left > 0 && covered < goal; left--) await run();
      })();
      await Promise.race([ready, tooLong]);
      clearTimeout(patience);
      hurried = false;
    },
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
