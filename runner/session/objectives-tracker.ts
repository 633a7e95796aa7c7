/**
 * Keeps the briefing fresh, and reports when the agent's tools may have changed. Bursts within 150 ms are one
 * change; a change during a read causes another read (specification/runner.md#toolbox-rules).
 */
import type { Briefing } from '#protocol/briefing.ts';
import { limits } from '#protocol/limits.ts';

export interface ObjectivesTracker {
  readonly briefing: Briefing;
  /** Open objectives of the agent's own making, which it may cancel and whose watchers it may change. */
  readonly originated: ReadonlySet<string>;
  /**
   * Objectives, members, or permissions may have changed; `isCertain`: the agent itself changed something.
   */
  touch(isCertain?: boolean): void;
  /** Resolves when everything touched so far was read. */
  settled(): Promise<void>;
  stop(): void;
}

export interface Fresh {
  briefing: Briefing;
  originated: ReadonlySet<string>;
}

export interface TrackerDeps {
  first: Fresh;
  read(): Promise<Fresh>;
  /** Called after each read that differs from the previous one, or follows a certain change. */
  onChanged(): void;
  onError(error: unknown): void;
}

/** The data on which the tools and their descriptions depend. */
const signature = ({ briefing, originated }: Fresh): string =>
  JSON.stringify([
    briefing.name,
    briefing.role,
    briefing.permissions,
    briefing.team.name,
    briefing.team.directive,
    briefing.teammates,
    // Each update of an assigned objective counts.
    briefing.openObjectives.map(({ id, updatedAt }) => [id, updatedAt]).sort(),
    [...originated].sort(),
  ]);

export function createObjectivesTracker({ first, read, onChanged, onError }: TrackerDeps): ObjectivesTracker {
  let fresh = first;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  let touched = 0;
  let covered = 0;
  let mustTell = false;
  let reading: Promise<void> | null = null;
  const waiting: (() => void)[] = [];

  async function refresh(): Promise<void> {
    while (covered < touched && !isStopped) {
      const goal = touched;
      try {
        const next = await read();
        const isNews = mustTell || signature(next) !== signature(fresh);
        fresh = next;
        mustTell = false;
        if (isNews) onChanged();
      } catch (error) {
        onError(error);
      }
      covered = goal;
    }
    for (const resolve of waiting.splice(0)) resolve();
  }

  function run(): void {
    timer = null;
    reading ??= refresh().finally(() => {
      reading = null;
      // Touched during this read.
      if (covered < touched && !isStopped) timer ??= setTimeout(run, limits.toolListDebounceMs);
    });
  }

  return {
    get briefing() {
      return fresh.briefing;
    },
    get originated() {
      return fresh.originated;
    },
    touch(isCertain = false) {
      touched += 1;
      mustTell ||= isCertain;
      if (reading !== null || isStopped) return;
      // Counted from the first of a burst, so that a steady stream of events cannot postpone it forever.
      timer ??= setTimeout(run, limits.toolListDebounceMs);
    },
    settled() {
      if (covered === touched) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
