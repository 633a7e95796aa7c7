/**
 * Watches the clock of the machine (ADR 0065): whether it jumps ahead of the time that passes, and how far the newest
 * message is ahead of it.
 */
import { uptime } from 'node:os';
import type { ClockTrouble } from '#protocol/clock-trouble.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { aheadMs } from './message-stamps.ts';

export interface ClockWatch {
  /** The time for the stamp of a message: the clock, or for a minute after a jump ahead, the time that passed. */
  stampTime: Clock;
  /** Call it with the time of each stamp. */
  stamped(ts: number): void;
  /** Compares the clocks, and logs what begins and ends. */
  look(): void;
  /** Null while nothing is wrong. */
  trouble(): ClockTrouble | null;
  /**
   * Why nothing that is old may be removed now: the clock jumped ahead less than a day ago, or the broker started less
   * than a day ago and no message is from the week before the last day, which may be a clock that is wrong. Null if it may.
   */
  removalWaits(): 'jump' | 'silence' | null;
}

export interface ClockWatchDeps {
  clock: Clock;
  /** Ms that pass whatever the clock says. */
  steady: Clock;
  /** The time of the newest stored message; 0 if there is none. */
  newestTs: number;
  /** The same of those that are older than `removalWaitsMs`: a clock that is wrong may have stamped later ones. */
  olderTs: number;
  /** Called if the clock returns by so many ms: messages in its future were stamped so much ahead. */
  onReturned: (ms: number) => void;
  log: Pick<Log, 'warn' | 'info'>;
}

/** The time since the system started, with that in which it slept: it does not change when the clock is set. */
export const systemSteadyClock: Clock = () => uptime() * 1000;

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The clock jumps if it gains more on the time that passes. */
const jumpMs = 10 * minuteMs;
const stampsWaitMs = minuteMs;
export const removalWaitsMs = dayMs;
const silenceMs = 7 * dayMs;

export function createClockWatch(deps: ClockWatchDeps): ClockWatch {
  const { clock, steady, newestTs, olderTs, onReturned, log } = deps;
  const startedAt = steady();
  const wasSilent =
    newestTs > 0 &&
    (clock() - newestTs > silenceMs || (olderTs > 0 && clock() - olderTs > removalWaitsMs + silenceMs));
  let newest = newestTs;
  let wasAhead = false;
  let lookedAt = clock();
  /** The lead of the clock over the steady one while the clock is right. */
  let offset = clock() - steady();
  let jump: { at: number; ms: number } | null = null;

  function lookForJump(): void {
    lookedAt = clock();
    const gained = lookedAt - steady() - offset;
    if (gained - (jump?.ms ?? 0) > jumpMs) {
      jump = { at: steady(), ms: gained };
      log.warn({ jumpedMs: gained }, 'the clock jumped ahead: nothing that is old is removed for a day');
    } else if (jump === null) {
      offset += gained;
      // It jumped before the start, or more than a day ago.
      if (gained < -jumpMs) onReturned(-gained);
    } else if (gained <= jumpMs) {
      onReturned(jump.ms - gained);
      [jump, offset] = [null, offset + gained];
      log.info('the clock returned from its jump ahead');
    } else if (steady() - jump.at >= removalWaitsMs) {
      [jump, offset] = [null, offset + gained];
      log.warn('the clock stayed where it jumped to, and counts as right from now on');
    }
  }

  function messagesAheadMs(): number {
    const ahead = newest - clock();
    return ahead > aheadMs ? ahead : 0;
  }

  return {
    stampTime() {
      const now = clock();
      // The steady clock costs a system call, and the clock passes so much only if it jumps, or nobody looked.
      if (jump === null && Math.abs(now - lookedAt) <= jumpMs) return now;
      lookForJump();
      return jump !== null && steady() - jump.at < stampsWaitMs
        ? Math.min(now, Math.floor(offset + steady()))
        : now;
    },
    stamped(ts) {
      if (ts > newest) newest = ts;
    },
    look() {
      lookForJump();
      const ahead = messagesAheadMs();
      if (ahead > 0 && !wasAhead)
        log.warn({ messagesAheadMs: ahead }, 'the newest message has a time in the future of the clock');
      if (ahead === 0 && wasAhead) log.info('the clock has reached the time of the newest message');
      wasAhead = ahead > 0;
    },
    trouble() {
      const found = { messagesAheadMs: messagesAheadMs(), jumpedMs: jump?.ms ?? 0 };
      return found.messagesAheadMs > 0 || found.jumpedMs > 0 ? found : null;
    },
    removalWaits() {
      lookForJump();
      if (jump !== null) return 'jump';
      return wasSilent && steady() - startedAt < removalWaitsMs ? 'silence' : null;
    },
  };
}
