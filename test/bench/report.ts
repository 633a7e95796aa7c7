/** The tables of a run: each figure with its target, then the median of every sample. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

export interface Row {
  figure: string;
  value: number;
  /** The unit of the figure; without one, it is a ratio. */
  unit?: string;
  target: number;
  better: 'higher' | 'lower';
  /** The reason for a missed target, as far as it is known. */
  whyMissed?: string;
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const shown = (value: number, unit = ''): string =>
  `${value < 10 ? value.toFixed(2) : value.toFixed(0)}${unit && ` ${unit}`}`;
const meets = ({ value, target, better }: Row): boolean =>
  better === 'higher' ? value >= target : value <= target;

/** Returns a table in Markdown. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function targetTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.figure,
    shown(row.value, row.unit),
    `${row.better === 'higher' ? '≥' : '≤'} ${shown(row.target, row.unit)}`,
    meets(row) ? 'met' : '**missed**',
  ]);
  return table(['Figure', 'Seen', 'Target', ''], lines);
}

/** One list item per missed target, with its explanation. */
export function missedTargets(rows: readonly Row[]): string {
  const missed = rows.filter((row) => !meets(row));
  if (missed.length === 0) return 'Every target is met.';
  const items = missed.map(({ figure, whyMissed }) => `- ${figure}: ${whyMissed ?? 'not explained yet.'}`);
  return ['Why targets are missed:', '', ...items].join('\n');
}

export function sampleTable(samples: ReadonlyMap<string, readonly number[]>): string {
  const lines = [...samples].map(([name, values]) => [
    name,
    shown(median(values)),
    `${shown(Math.min(...values))} – ${shown(Math.max(...values))}`,
  ]);
  return table(['Measured', 'Median', 'Range'], lines);
}

export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.version}`;
}

/** Returns what tells, at the end of a run, how much else the machine did meanwhile. */
export function watchMachineLoad(): () => string {
  const [before = 0] = loadavg();
  const first = processorTimes();
  return () => {
    const last = processorTimes();
    const said = `Load average before the run: ${before.toFixed(2)}.`;
    if (first === null || last === null) return said;
    const stolen = (100 * (last.stolen - first.stolen)) / (last.all - first.all);
    return `${said} The host took ${stolen.toFixed(1)} % of the processors' time meanwhile.`;
  };
}

/** All processors together, in ticks; null except on Linux. */
function processorTimes(): { all: number; stolen: number } | null {
  if (process.platform !== 'linux') return null;
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is in user and nice already.
  const times = line.split(/\s+/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, time) => sum + time, 0), stolen: times[7] ?? 0 };
}
