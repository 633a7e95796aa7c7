/**
 * Reading small files whose content anybody may have edited, without schemas: every command reads one, and
 * schemas would take longer to load than most calls.
 */

/** Returns the value of a JSON text; undefined if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Whether the value is a point in time in epoch ms. */
export const isInstant = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
