/** JSON replies whose last property is a long array. */

import { giveBack } from '../runtime/give-back.ts';
import { JsonReply } from './json-reply.ts';

/**
 * Items of an array as JSON in UTF-8, separated by commas: all of them, or pages of them, of which any may be
 * empty. Their memory is given back when they are sent.
 */
export type JsonItems = Uint8Array | AsyncIterable<Uint8Array>;

const pageCharacters = 64 * 1024;

const comma = Buffer.from(',');
const closing = Buffer.from(']}');

/** Returns the reply; `head` is its text up to the array, for example `{"messages":`. */
export function jsonList(head: string, items: JsonItems): JsonReply {
  if (items instanceof Uint8Array) return jsonShortList(head, items);
  return new JsonReply(joined(Buffer.from(`${head}[`), items));
}

/** Returns the reply of a list that is in memory. */
export function jsonShortList(head: string, items: Uint8Array): JsonReply {
  const whole = Buffer.concat([Buffer.from(`${head}[`), items, closing]);
  giveBack(items);
  return new JsonReply(whole);
}

async function* joined(opening: Uint8Array, pages: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let before = opening;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before;
    yield page;
    giveBack(page);
    before = comma;
  }
  if (before === opening) yield opening;
  yield closing;
}

/** Returns the same reply in pages of text, for items that are values. */
export async function* longArray(
  head: string,
  pages: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<Uint8Array> {
  let text = `${head}[`;
  let separator = '';
  for await (const page of pages) {
    for (const item of page) {
      text += separator + JSON.stringify(item);
      separator = ',';
    }
    if (text.length < pageCharacters) continue;
    const bytes = Buffer.from(text);
    yield bytes;
    giveBack(bytes);
    text = '';
  }
  yield Buffer.from(`${text}]}`);
}
