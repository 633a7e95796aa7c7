/** Reads a unified diff, or a part of one without its header. Pure. */

export type DiffLineKind = 'added' | 'removed' | 'same' | 'place' | 'file';

export interface DiffLine {
  kind: DiffLineKind;
  /** Without the sign. */
  text: string;
  /** The number of the line before and after the change; null if the diff does not say it. */
  before: number | null;
  after: number | null;
}

const fileLine = /^(?:diff |index |new file |deleted file |similarity |rename |Binary |\\ )/;
const place = /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

interface Hunk {
  before: number;
  after: number;
  /** Lines of the hunk that are still to come, by its header. */
  beforeLeft: number;
  afterLeft: number;
}

const hunkOf = (match: RegExpExecArray): Hunk => ({
  before: Number(match[1]),
  after: Number(match[3]),
  beforeLeft: Number(match[2] ?? 1),
  afterLeft: Number(match[4] ?? 1),
});

const lineOf = (kind: DiffLineKind, text: string): DiffLine => ({ kind, text, before: null, after: null });

/** Returns one entry for each line. Lines that are not part of a change are the same before and after it. */
export function linesOfDiff(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  let hunk: Hunk | null = null;
  return lines.map((line, index): DiffLine => {
    const isInside = hunk !== null && (hunk.beforeLeft > 0 || hunk.afterLeft > 0);
    const header = place.exec(line);
    if (header !== null) {
      hunk = hunkOf(header);
      return lineOf('place', line);
    }
    if (!isInside && isFileLine(line, lines[index - 1], lines[index + 1])) {
      hunk = null;
      return lineOf('file', line);
    }
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
    const text = kind === 'same' && !line.startsWith(' ') ? line : line.slice(1);
    const counted = { ...lineOf(kind, text) };
    if (hunk === null || line.startsWith('\\ ')) return counted;
    if (kind !== 'added') {
      counted.before = hunk.before++;
      hunk.beforeLeft--;
    }
    if (kind !== 'removed') {
      counted.after = hunk.after++;
      hunk.afterLeft--;
    }
    return counted;
  });
}

/** `--- ` alone removes a line that begins with two hyphens. */
const isFileLine = (line: string, before: string | undefined, after: string | undefined): boolean =>
  fileLine.test(line) ||
  (line.startsWith('--- ') && after?.startsWith('+++ ') === true) ||
  (line.startsWith('+++ ') && before?.startsWith('--- ') === true);
