import { beforeEach, describe, expect, it } from 'vitest';
import { createClockWatch } from './clock-watch.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const year = 365 * day;
const start = Date.UTC(2026, 0, 1);

let now: number;
let steady: number;
let logged: string[];
beforeEach(() => {
  [now, steady, logged] = [start, 5000, []];
  returned.length = 0;
});

const pass = (ms: number): void => {
  now += ms;
  steady += ms;
};
const note = (_: unknown, message?: string) => void logged.push(message ?? String(_));
const returned: number[] = [];
const watch = (newestTs = start, olderTs = 0) =>
  createClockWatch({
    clock: () => now,
    steady: () => steady,
    newestTs,
    olderTs,
    onReturned: (ms) => void returned.push(ms),
    log: { warn: note, info: note } as never,
  });

describe('a clock that jumps ahead', () => {
  it('stamps nothing with its time for a minute, and is right again once it returned', () => {
    const clock = watch();
    pass(second);
    now += year;
    expect(clock.stampTime()).toBe(start + second);
    pass(minute - second);
    expect(clock.stampTime()).toBe(start + minute);
    expect(clock.removalWaits()).toBe('jump');
    now -= year;
    expect(clock.stampTime()).toBe(now);
    expect([clock.removalWaits(), clock.trouble()]).toEqual([null, null]);
    expect(returned).toEqual([year]);
  });

  it('stamps with its time after a minute, lets nothing be removed for a day, and then counts as right', () => {
    const clock = watch();
    now += year;
    clock.look();
    pass(minute);
    expect(clock.stampTime()).toBe(now);
    expect(clock.trouble()).toEqual({ messagesAheadMs: 0, jumpedMs: year });
    pass(day - minute - 1);
    expect(clock.removalWaits()).toBe('jump');
    pass(1);
    expect(clock.removalWaits()).toBeNull();
    expect(clock.trouble()).toBeNull();
    expect(logged).toHaveLength(2);
  });

  it('begins the day again if it jumps further', () => {
    const clock = watch();
    now += hour;
    clock.look();
    pass(day - 1);
    now += year;
    clock.look();
    pass(hour);
    expect(clock.removalWaits()).toBe('jump');
    expect(clock.trouble()).toMatchObject({ jumpedMs: hour + year });
  });

  it('is told from one that runs a little fast, that is set back, and from a machine that slept', () => {
    const clock = watch();
    for (let n = 0; n < 1000; n++) {
      pass(10 * second);
      now += second;
      clock.look();
    }
    now -= year;
    clock.look();
    pass(30 * day);
    expect(clock.stampTime()).toBe(now);
    expect(clock.removalWaits()).toBeNull();
  });
});

describe('messages in the future of the clock', () => {
  it('are trouble until the clock has reached them, which is logged', () => {
    const clock = watch();
    clock.stamped(start + year);
    clock.look();
    clock.look();
    expect(clock.trouble()).toEqual({ messagesAheadMs: year, jumpedMs: 0 });
    pass(year - minute);
    clock.look();
    expect(clock.trouble()).toBeNull();
    expect(logged).toEqual([
      'the newest message has a time in the future of the clock',
      'the clock has reached the time of the newest message',
    ]);
  });

  it('are found at start', () => {
    expect(watch(start + hour).trouble()).toEqual({ messagesAheadMs: hour, jumpedMs: 0 });
  });
});

it('nothing is removed for a day after a start that a silence of a week precedes', () => {
  expect(watch(start - 7 * day).removalWaits()).toBeNull();
  expect(watch(0).removalWaits()).toBeNull();
  const clock = watch(start - 7 * day - 1);
  expect(clock.removalWaits()).toBe('silence');
  pass(day);
  expect(clock.removalWaits()).toBeNull();
});

it('the same holds after a restart during a jump, although messages were stamped in it', () => {
  expect(watch(start, start - 8 * day).removalWaits()).toBeNull();
  const clock = watch(start, start - 8 * day - 1);
  expect(clock.removalWaits()).toBe('silence');
  pass(day);
  expect(clock.removalWaits()).toBeNull();
});
