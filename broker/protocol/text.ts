/**
 * String schemas whose lengths count Unicode code points, as JSON Schema's own minLength and maxLength do
 * (specification/api.md#json).
 */
import { z } from 'zod';
import { hasHiddenSign, hiddenSignFault } from './hidden-signs.ts';

function codePoints(value: string): number {
  let count = value.length;
  for (let i = 0; i < value.length - 1; i++) {
    const unit = value.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      count--;
      i++;
    }
  }
  return count;
}

/** The UTF-16 length is an upper bound of the count, so ordinary text is never walked. */
function lengthWithin(value: string, min: number, max: number): boolean {
  if (value.length <= max && value.length >= min * 2) return true;
  const count = codePoints(value);
  return count >= min && count <= max;
}

/**
 * Text of `min` to `max` code points. A lone surrogate is refused, because UTF-8 cannot hold it and it could
 * not be returned as it was received.
 */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed(), { error: 'must be well-formed Unicode', abort: true })
    .refine((value) => lengthWithin(value, min, max), {
      error: min === 0 ? `must be at most ${max} characters` : `must be ${min} to ${max} characters`,
    })
    .meta({ minLength: min, maxLength: max });
}

/** A name that people read and compare (specification/members.md#names); names that are stored are not checked again. */
export function nameText(min: number, max: number) {
  return text(min, max).refine((name) => !hasHiddenSign(name), hiddenSignFault);
}

/** Text that is trimmed before it is measured and stored (specification/objectives.md#objective). */
export function trimmedText(min: number, max: number) {
  return z
    .string()
    .transform((value) => value.trim())
    .pipe(text(min, max))
    .meta({ type: 'string', minLength: min, maxLength: max });
}
