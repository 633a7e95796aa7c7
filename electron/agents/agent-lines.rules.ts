/** The output of a run: its newest lines, up to a maximum number and a maximum size. */

export interface AgentLine {
  /** Increases by one per line of a run, so that a page can tell which lines it already has. */
  n: number;
  /** `log`: the state of the run. `transcript`: the agent's messages and tool calls. */
  source: 'log' | 'transcript';
  text: string;
}

export const maxLines = 500;
const maxCharacters = 256 * 1024;
const maxLineLength = 4096;

/**
 * Characters that would rewrite what a person reads: control characters, direction marks, and separators that
 * some programs treat as line breaks.
 */
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

export const shownText = (text: string): string => {
  const plain = text.replaceAll('\t', '    ').replace(unsafe, '');
  return plain.length > maxLineLength ? `${plain.slice(0, maxLineLength)}…` : plain;
};

/** Appends a line to the lines of one source and drops the oldest ones. */
export function withLine(lines: readonly AgentLine[], line: AgentLine): AgentLine[] {
  const next = [...lines.slice(-(maxLines - 1)), line];
  let size = next.reduce((sum, { text }) => sum + text.length, 0);
  let from = 0;
  while (size > maxCharacters && from < next.length - 1) {
    size -= next[from]?.text.length ?? 0;
    from += 1;
  }
  return from === 0 ? next : next.slice(from);
}
