/** What a run said, bounded: the newest lines, as many as the number and the size allow. */

export interface AgentLine {
  /** Increases by one per line of a run; a page tells by it what it has already. */
  n: number;
  /** `log`: the state of the run. `transcript`: what the agent said and did. */
  source: 'log' | 'transcript';
  text: string;
}

export const maxLines = 500;
const maxCharacters = 256 * 1024;
const maxLineLength = 4096;

/** Characters that would rewrite what a person reads: control, direction, and the separators that some take for a line's end. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

export const shownText = (text: string): string => {
  const plain = text.replaceAll('\t', '    ').replace(unsafe, '');
  return plain.length > maxLineLength ? `${plain.slice(0, maxLineLength)}…` : plain;
};

/** The lines of one source with a new one at the end; the oldest go. */
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
