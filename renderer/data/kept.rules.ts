/** Reads what the browser keeps. Pure. */

/** Returns the entries of a JSON array; none for any other text, because anything may have written it. */
export function keptList(text: string | null): unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
