/**
 * The preview of a body that is not parsed: its beginning, masked before it is shortened, so that no part of a
 * secret is left.
 */
import { maskText } from './masking.rules.ts';

/** In characters. */
const maxCharacters = 2048;

export function previewOf(text: string): string {
  const shown = maskText(text);
  return shown.length <= maxCharacters ? shown : `${shown.slice(0, maxCharacters).toWellFormed()}…`;
}

const readable =
  /^(?:text\/|application\/(?:[\w.+-]*json|x-www-form-urlencoded|xml|[\w.+-]+\+xml|javascript|graphql))/i;

/** Null if there was none; anything except text is described by its size. */
export function bodyPreview(body: { text: string; bytes: number; type: string | null }): string | null {
  if (body.bytes === 0) return null;
  const isText = body.type === null ? !body.text.includes('\ufffd') : readable.test(body.type);
  return isText ? previewOf(body.text) : `[${body.bytes} bytes]`;
}
