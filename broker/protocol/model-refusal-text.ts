/** Why a model refuses, in words. Apart from the schemas, so that the console needs no zod for it. */
import type { DetailedRefusal } from './model-refusal.ts';

/**
 * Returns the reason in a few words, to follow "its model is refusing: ". `timeOf` formats a time in epoch
 * milliseconds for the reader.
 */
export function refusalText(
  refusal: Pick<DetailedRefusal, 'cause' | 'until' | 'detail'>,
  timeOf: (at: number) => string,
): string {
  const detail = refusal.detail === undefined || refusal.detail === '' ? '' : ` (${refusal.detail})`;
  switch (refusal.cause) {
    case 'login':
      return `not logged in${detail}`;
    case 'limit':
      return `${refusal.until === undefined ? 'a limit is reached' : `limit until ${timeOf(refusal.until)}`}${detail}`;
    case 'overloaded':
      return `overloaded${detail}`;
    case 'unreachable':
      return `unreachable${detail}`;
    case 'rejected':
      return `the request was rejected${detail}`;
  }
}
