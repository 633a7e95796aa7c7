/**
 * Content blocks in the terms that the three wire formats share (specification/activity.md#events). Bytes of
 * images and documents are never carried, only their kind and size.
 */
import type { ContentBlock } from '#protocol/activity.ts';
import { isRecord, type Json, listOf, recordOf, textOf } from './loose-json.rules.ts';

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });
export const thinkingBlock = (text: string): ContentBlock => ({ type: 'thinking', text });
export const unknownBlock = (raw: unknown): ContentBlock => ({ type: 'unknown', raw: withoutBytes(raw) });

export const toolUse = (id: unknown, name: unknown, input: unknown, more: Json = {}): ContentBlock => ({
  type: 'tool_use',
  id: textOf(id),
  name: textOf(name),
  input: withoutBytes(input ?? {}),
  ...more,
});

export const toolResult = (
  toolUseId: unknown,
  content: ContentBlock[],
  isError: boolean | null,
): ContentBlock => ({ type: 'tool_result', toolUseId: textOf(toolUseId), isError, content });

/** Of base64 text. */
const bytesOf = (data: string): number => Math.floor((data.replace(/=+$/, '').length * 3) / 4);

const dataUrl = /^data:([\w.+/-]{0,128})(?:;[\w=-]{1,64}){0,4},/;

/** An image that is given by its address; one that contains the bytes is described by its kind and size. */
export function imageAt(url: unknown): ContentBlock {
  const text = textOf(url) ?? '';
  const inline = dataUrl.exec(text);
  if (inline === null) return { type: 'image', mediaType: null, bytes: null, url: text };
  return { type: 'image', mediaType: inline[1] ?? null, bytes: bytesOf(text.slice(inline[0].length)) };
}

export function imageOf(source: unknown): ContentBlock {
  const { data, media_type: mediaType, url } = recordOf(source);
  if (typeof data !== 'string') return imageAt(url);
  return { type: 'image', mediaType: textOf(mediaType), bytes: bytesOf(data) };
}

const deepest = 96;

/** Returns the value with data URLs and fields of base64 data replaced by their size. */
export function withoutBytes(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    const inline = value.startsWith('data:') ? dataUrl.exec(value) : null;
    return inline === null ? value : `${inline[0]}[${bytesOf(value.slice(inline[0].length))} bytes]`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((one) => withoutBytes(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const isBytes = byteFields.has(name) && typeof one === 'string' && one.length > 256 && !/\s/.test(one);
      return [name, isBytes ? `[${bytesOf(one)} bytes]` : withoutBytes(one, depth + 1)];
    }),
  );
}
/** The fields in which the wire formats carry files, sound, and data that only the vendor can read. */
const byteFields = new Set([
  'data',
  'file_data',
  'b64_json',
  'encrypted_content',
  'signature',
  'partial_image_b64',
]);

/** The tools as they were offered. */
export function toolsOf(value: unknown): Json[] | null {
  if (!Array.isArray(value)) return null;
  return value.map((tool) => {
    const shown = withoutBytes(tool);
    return isRecord(shown) ? shown : { unknown: shown };
  });
}

/** A text, or a list of parts, each of which `read` reads. */
export function blocksOf(content: unknown, read: (part: Json) => ContentBlock): ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)];
  if (isRecord(content)) return [read(content)];
  return listOf(content).map((part) => {
    if (isRecord(part)) return read(part);
    return typeof part === 'string' ? textBlock(part) : unknownBlock(part);
  });
}
