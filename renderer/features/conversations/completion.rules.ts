/** Completions in the composer: `@name`, `#channel`, and `/level`. Pure. */
import { mentionOpening } from '#protocol/mentions.ts';
import type { Level } from '#protocol/message.ts';
import { levels } from '#protocol/vocabulary.ts';

export interface Completion {
  /** The start of the word, in UTF-16 units. */
  from: number;
  options: readonly string[];
}

const maxOptions = 8;
const nameAtEnd = new RegExp(`${mentionOpening}([A-Za-z0-9._-]*)$`, 'u');

export interface Completable {
  /** Of members. */
  names: readonly string[];
  /** Of channels. */
  slugs: readonly string[];
}

/** Returns the completions at the caret; null if there are none. */
export function completionAt(text: string, caret: number, known: Completable): Completion | null {
  const { names, slugs } = known;
  const before = text.slice(0, caret);
  const mention = nameAtEnd.exec(before);
  if (mention !== null) {
    const wanted = (mention[1] ?? '').toLowerCase();
    const options = names
      .filter((name) => name.toLowerCase().startsWith(wanted))
      .slice(0, maxOptions)
      .map((name) => `@${name}`);
    return options.length === 0 ? null : { from: caret - wanted.length - 1, options };
  }
  const channel = /(?:^|[^\p{L}\p{N}_#&/])#([a-z0-9-]*)$/u.exec(before);
  if (channel !== null) {
    const wanted = channel[1] ?? '';
    const options = slugs
      .filter((slug) => slug.startsWith(wanted))
      .slice(0, maxOptions)
      .map((slug) => `#${slug}`);
    // A heading of Markdown begins with the sign alone.
    return options.length === 0 || wanted === '' ? null : { from: caret - wanted.length - 1, options };
  }
  const level = /^\/([a-z]*)$/.exec(before);
  if (level !== null) {
    const options = levels.filter((one) => one.startsWith(level[1] ?? '')).map((one) => `/${one}`);
    return options.length === 0 ? null : { from: 0, options };
  }
  return null;
}

/** Returns the level and the body of a message: `/warning Disk is full` has the level warning. */
export function levelOf(text: string): { level: Level; body: string } {
  const match = /^\/([a-z]+)\s+([\s\S]+)$/.exec(text);
  const level = levels.find((one) => one === match?.[1]);
  return level === undefined ? { level: 'info', body: text } : { level, body: match?.[2] ?? '' };
}
