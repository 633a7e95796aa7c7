/**
 * Finds what is prose in a Markdown text: neither code nor a link or another address. It covers the part of CommonMark and of its GitHub
 * extensions that decides this, in time proportional to the text, because the broker runs it on texts of strangers. HTML is text here, as the
 * console shows it. No schema here, so that every program can load it cheaply.
 */
import { isMarkdown } from './markdown-bounds.ts';

/** UTF-16 positions, the end not included. */
type Range = readonly [start: number, end: number];

/** A quote, or an item of a list whose content begins at this column within what contains it. */
type Container = 'quote' | number;

interface Fence {
  mark: string;
  length: number;
}

/** `https://…`, `www.…`, and `host.example/…`, up to a space. */
const addressPattern =
  /(?<![A-Za-z0-9.-])(?:[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/|www\.|(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,63}\/)[^\s<]+/gi;
/** A look-ahead takes white space as a whole: its time would grow with the square of its length if several parts could share it. */
const destinationPattern =
  /\((?=(\s*))\1(?:<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?:(?=(\s+))\2(?:"[^"]*"|'[^']*'|\([^()]*\)))?(?=(\s*))\3\)/y;
const labelPattern = /\[((?:[^[\]\\]|\\.){0,999})\]/y;
const definitionPattern =
  /^\[(?!\^)((?:[^[\]\\]|\\.){1,999})\]:[ \t]*\S+(?:(?=([ \t]+))\2(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;
const rulePattern = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const underlinePattern = /^(?:=+|-+)[ \t]*$/;
const headingPattern = /^#{1,6}(?=[ \t]|$)/;
const fencePattern = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
const itemPattern = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/;

/** Returns the text with spaces in place of what is no prose, so that each position stays where it was. */
export const proseOf = (text: string): string =>
  isMarkdown(text)
    ? proseOfMarkdown(text)
    : text.replace(addressPattern, (address) => ' '.repeat(address.length));

/** For a text within the bounds of `isMarkdown`, which bound its nesting. */
export function proseOfMarkdown(text: string): string {
  const { code, blocks, labels } = new Blocks().read(text);
  const hidden = [...code, ...blocks.flatMap((block) => hiddenInBlock(text, block, labels))];
  hidden.sort(([a], [b]) => a - b);
  let prose = '';
  for (const [start, end] of hidden) {
    if (end <= prose.length) continue;
    prose += text.slice(prose.length, start);
    prose += ' '.repeat(end - prose.length);
  }
  return prose + text.slice(prose.length);
}

/** A line of the text, and how far its containers have been read. */
class Line {
  readonly #text: string;
  readonly start: number;
  readonly end: number;
  #at: number;
  #column = 0;
  /** Columns of a tab of which a container took a part. */
  #rest = 0;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.start = start;
    this.end = end;
    this.#at = start;
  }
  /** The width of the white space that follows. */
  indent(): number {
    let width = this.#rest;
    for (let at = this.#at; at < this.end; at += 1) {
      const character = this.#text[at];
      if (character === ' ') width += 1;
      else if (character === '\t') width += 4 - ((this.#column + width) % 4);
      else break;
    }
    return width;
  }
  skip(columns: number): void {
    let left = columns;
    while (left > 0) {
      if (this.#rest === 0) {
        this.#rest = this.#text[this.#at] === '\t' ? 4 - (this.#column % 4) : 1;
        this.#at += 1;
      }
      const taken = Math.min(left, this.#rest);
      this.#rest -= taken;
      this.#column += taken;
      left -= taken;
    }
  }
  /** The rest of the line, without the white space before it. */
  content(): string {
    return this.#text.slice(this.#at, this.end).trimStart();
  }
  isBlank(): boolean {
    return this.content().trimEnd() === '';
  }
}

/** Reads the blocks of a text line by line. */
class Blocks {
  /** Lines of code, and definitions of links. */
  readonly code: Range[] = [];
  /** Paragraphs and headings. */
  readonly blocks: Range[] = [];
  /** Of defined links. */
  readonly labels = new Set<string>();
  #containers: Container[] = [];
  #fence: Fence | null = null;
  #paragraph: Range | null = null;
  #isItemEmpty = false;

  read(text: string): this {
    for (const { 0: found, index } of text.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g))
      if (found !== '') this.#readLine(new Line(text, index, index + found.replace(/[\r\n]+$/, '').length));
    this.#endParagraph();
    return this;
  }

  #readLine(line: Line): void {
    const matched = this.#matchContainers(line);
    const isWhole = matched === this.#containers.length;
    if (this.#fence !== null && isWhole) {
      this.code.push([line.start, line.end]);
      if (line.indent() < 4 && this.#closesFence(line.content())) this.#fence = null;
      return;
    }
    const opened = this.#openContainers(line, isWhole);
    const content = line.content();
    const isIndented = line.indent() >= 4;
    const isUnderline = isWhole && !isIndented && underlinePattern.test(content);
    const isBlock = opened.length > 0 || line.isBlank() || (!isIndented && isOpening(content)) || isUnderline;
    if (this.#paragraph !== null && !isBlock) {
      // Also a line without the marks of its containers, which Markdown calls lazy.
      this.#paragraph = [this.#paragraph[0], line.end];
      return;
    }
    this.#endParagraph();
    this.#fence = null;
    this.#containers = [...this.#containers.slice(0, matched), ...opened];
    // An item that begins with an empty line has at most one.
    if (line.isBlank() && opened.length === 0 && this.#isItemEmpty) this.#containers.pop();
    this.#isItemEmpty = line.isBlank() && typeof opened.at(-1) === 'number';
    this.#readLeaf(line, content);
  }

  /** Returns how many of the containers go on in this line. */
  #matchContainers(line: Line): number {
    let matched = 0;
    for (const container of this.#containers) {
      if (container === 'quote') {
        if (!skipQuoteMark(line)) break;
      } else if (!line.isBlank()) {
        if (line.indent() < container) break;
        line.skip(container);
      }
      matched += 1;
    }
    return matched;
  }

  #openContainers(line: Line, isWhole: boolean): Container[] {
    const opened: Container[] = [];
    for (;;) {
      const interrupts = isWhole && this.#paragraph !== null && opened.length === 0;
      const indent = line.indent();
      if (indent >= 4) return opened;
      if (skipQuoteMark(line)) {
        opened.push('quote');
        continue;
      }
      const content = line.content();
      const [mark, number] = itemPattern.exec(content) ?? [];
      if (mark === undefined || rulePattern.test(content)) return opened;
      const isEmpty = content.length === mark.length || content.slice(mark.length).trim() === '';
      if (interrupts && (isEmpty || (number !== undefined && Number(number) !== 1))) return opened;
      line.skip(indent + mark.length);
      const space = line.indent();
      const gap = isEmpty || space > 4 ? 1 : space;
      if (!isEmpty) line.skip(gap);
      opened.push(indent + mark.length + gap);
    }
  }

  #readLeaf(line: Line, content: string): void {
    if (line.isBlank()) return;
    const [, ticks, tildes] = fencePattern.exec(content) ?? [];
    const fence = ticks ?? tildes;
    if (line.indent() >= 4) this.code.push([line.start, line.end]);
    else if (fence !== undefined) {
      this.#fence = { mark: fence.charAt(0), length: fence.length };
      this.code.push([line.end - content.length, line.end]);
    } else if (headingPattern.test(content)) this.blocks.push([line.start, line.end]);
    else if (rulePattern.test(content)) return;
    else {
      const label = definitionPattern.exec(content)?.[1];
      if (label === undefined) this.#paragraph = [line.start, line.end];
      else {
        this.labels.add(normalLabel(label));
        this.code.push([line.start, line.end]);
      }
    }
  }

  #closesFence(content: string): boolean {
    const { mark, length } = this.#fence ?? { mark: '', length: 0 };
    const closing = content.trimEnd();
    return closing.length >= length && closing === mark.repeat(closing.length);
  }

  #endParagraph(): void {
    if (this.#paragraph !== null) this.blocks.push(this.#paragraph);
    this.#paragraph = null;
  }
}

function skipQuoteMark(line: Line): boolean {
  const indent = line.indent();
  if (indent >= 4 || !line.content().startsWith('>')) return false;
  line.skip(indent + 1);
  if (line.indent() > 0) line.skip(1);
  return true;
}

/** Whether the line begins a block that ends a paragraph before it. */
const isOpening = (content: string): boolean =>
  fencePattern.test(content) || headingPattern.test(content) || rulePattern.test(content);

const normalLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

/** Returns the code and the links of a paragraph or a heading. */
function hiddenInBlock(text: string, [start, end]: Range, labels: ReadonlySet<string>): Range[] {
  const block = text.slice(start, end);
  const hidden: Range[] = [];
  const addresses = new Map(Array.from(block.matchAll(addressPattern), (one) => [one.index, one[0].length]));
  const closing = backticksOf(block);
  const openings: { at: number; isImage: boolean }[] = [];
  /** A link has no links in it, so what opened before this position opens none. */
  let closedUpTo = 0;
  let lastBracket = -1;
  let at = 0;
  while (at < block.length) {
    const address = addresses.get(at);
    if (address !== undefined) at = hide(at, at + address);
    else if (block[at] === '\\') at += 2;
    else if (block[at] === '`') at = afterCode(at);
    else if (block[at] === '[') {
      openings.push({ at, isImage: block[at - 1] === '!' });
      lastBracket = at;
      at += 1;
    } else if (block[at] === ']') at = afterBracket(at);
    else at += 1;
  }
  return hidden;

  function hide(from: number, to: number): number {
    if (to - from > 1) hidden.push([start + from, start + to]);
    return to;
  }
  function afterCode(from: number): number {
    const length = runLength(block, from);
    const positions = closing.get(length) ?? [];
    while (positions.length > 0 && (positions.at(-1) ?? 0) < from + length) positions.pop();
    const close = positions.at(-1);
    return close === undefined ? from + length : hide(from, close + length);
  }
  function afterBracket(from: number): number {
    const opening = openings.pop();
    const isFlat = lastBracket === opening?.at;
    lastBracket = from;
    if (opening === undefined || (!opening.isImage && opening.at < closedUpTo)) return from + 1;
    const to = linkEnd(block, { open: opening.at, close: from, isFlat }, labels);
    if (to === null) return from + 1;
    if (!opening.isImage) closedUpTo = from;
    return hide(opening.at, to);
  }
}

interface Brackets {
  open: number;
  close: number;
  /** No brackets are within. */
  isFlat: boolean;
}

/** Returns the end of the link whose words are in these brackets; null if they are brackets only. */
function linkEnd(
  block: string,
  { open, close, isFlat }: Brackets,
  labels: ReadonlySet<string>,
): number | null {
  const destination = matchAt(destinationPattern, block, close + 1);
  if (destination !== null) return close + 1 + destination[0].length;
  if (labels.size === 0) return null;
  const [whole = '', named = ''] = matchAt(labelPattern, block, close + 1) ?? [];
  const own = isFlat && close - open <= 1000 ? block.slice(open + 1, close) : '';
  return labels.has(normalLabel(named || own)) ? close + 1 + whole.length : null;
}

/** Returns the positions of the runs of backticks by their length, the last one first. */
function backticksOf(block: string): Map<number, number[]> {
  const runs = Array.from(block.matchAll(/`+/g), ({ 0: run, index }) => ({ length: run.length, index }));
  const byLength = Map.groupBy(runs.reverse(), ({ length }) => length);
  return new Map(Array.from(byLength, ([length, found]) => [length, found.map(({ index }) => index)]));
}

function runLength(block: string, at: number): number {
  let end = at;
  while (block[end] === '`') end += 1;
  return end - at;
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
