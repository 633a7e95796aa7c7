/**
 * Idempotency keys for retries: the same content is sent under the same key, so that it cannot be accepted
 * twice after a lost response.
 */
import { useRef } from 'react';

import { randomId } from './random-id.ts';

export interface IdempotencyKey {
  /** Returns the key of this content. It stays the same until the content changes or is accepted. */
  keyOf(content: unknown): string;
  /** Marks the content as accepted; sending the same content again uses a new key. */
  done(): void;
}

export function useIdempotencyKey(): IdempotencyKey {
  const tried = useRef<{ content: string; key: string } | null>(null);
  return {
    keyOf(content) {
      const text = JSON.stringify(content);
      if (tried.current?.content !== text) tried.current = { content: text, key: randomId() };
      return tried.current.key;
    },
    done() {
      tried.current = null;
    },
  };
}
