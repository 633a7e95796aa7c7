/** The kind of content in the bytes of a file, whatever its MIME type says. Pure. */

/** Returns the text of valid UTF-8 without NUL; null for anything else. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Returns where a part begins and ends if no character of it is cut: at most three bytes less at each end. */
export function wholeCharacters(
  bytes: Uint8Array,
  isStart: boolean,
  isEnd: boolean,
): { from: number; to: number } {
  let from = 0;
  while (!isStart && from < 3 && isContinuation(bytes[from])) from += 1;
  let to = bytes.length;
  if (isEnd) return { from, to };
  let lead = to - 1;
  while (lead > from && to - lead < 4 && isContinuation(bytes[lead])) lead -= 1;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (lead + length > to && lead > from) to = lead;
  return { from, to };
}

const signatures: readonly (readonly [mimeType: string, at: number, sign: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
];

/** Returns the type of an image that models can see; null for anything else. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return signatures.find(([, at, sign]) => head.startsWith(sign, at))?.[0] ?? null;
}
