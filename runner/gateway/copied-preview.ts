/** The copy of a passing body, as `opaque_http` shows it. */
import type { BodyCopy } from './body-copy.ts';
import { bodyPreview } from './preview.rules.ts';

/** A header that may occur more than once. */
export const oneOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

export async function previewOf(
  copy: BodyCopy,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<string | null> {
  const { text } = await copy.readText(oneOf(headers['content-encoding']));
  return bodyPreview({ text, bytes: copy.bytes, type: oneOf(headers['content-type']) ?? null });
}
