const attempts = 5;
const parts = 8;

/** The kernel counts the CPU time of a thread in ticks of up to 10 ms, so less than this is not a measurement. */
const measurableMicroseconds = 40_000;
const longest = 1_600_000;

/** Linear work has a growth of 1, and quadratic work has 8. The room is for caches and garbage collection. */
export const proportional = 3;

/**
 * Returns how much more CPU time of this thread `work` takes for one long input than for the same length in eight
 * parts. The length starts at 100,000 and doubles until the work can be measured; work that takes less than 40 ms for
 * 1,600,000 has a growth of 0. A measurement above `proportional` is repeated, and the smallest of five counts,
 * because other programs and the compiler can only add time.
 */
export function cpuGrowth(work: (length: number) => void): number {
  let length = 100_000;
  let growth = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && growth >= proportional; ) {
    const whole = cpuMicroseconds(() => work(length));
    if (whole < measurableMicroseconds) {
      if (length >= longest) return 0;
      length *= 2;
      continue;
    }
    const inParts = cpuMicroseconds(() => {
      for (let part = 0; part < parts; part++) work(length / parts);
    });
    growth = Math.min(growth, whole / Math.max(1, inParts));
    attempt += 1;
  }
  return growth;
}

function cpuMicroseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const spent = process.threadCpuUsage(before);
  return spent.user + spent.system;
}
